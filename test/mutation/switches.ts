/** The switches of all instrumented files in one process: at most one mutant is on. */

/** Thrown by a loop that goes on for many times as many rounds as it should. */
class EndlessLoop extends Error {}

interface FileSwitch {
  on: number | undefined;
  readonly reached: Set<number>;
  readonly $mutant: (number: number) => boolean;
  readonly $round: () => void;
}

export interface MutantInFile {
  readonly file: string;
  readonly number: number;
}

export class Switches {
  readonly #files = new Map<string, FileSwitch>();
  #recording = true;
  #rounds = 0;
  #roundsMax = Infinity;
  #endless = false;

  /** What the first line of an instrumented file asks for. */
  of(file: string): FileSwitch {
    const existing = this.#files.get(file);
    if (existing !== undefined) return existing;
    const own: FileSwitch = {
      on: undefined,
      reached: new Set(),
      $mutant: (number) => {
        if (this.#recording) own.reached.add(number);
        return own.on === number;
      },
      $round: () => {
        this.#rounds += 1;
        if (this.#rounds <= this.#roundsMax) return;
        this.#endless = true;
        throw new EndlessLoop("a loop does not end");
      },
    };
    this.#files.set(file, own);
    return own;
  }

  /** Puts a mutant on, and the one before off. */
  turnOn(mutant: MutantInFile | undefined): void {
    for (const [file, own] of this.#files) {
      own.on = file === mutant?.file ? mutant.number : undefined;
    }
    if (mutant !== undefined) this.of(mutant.file).on = mutant.number;
  }

  /** Forgets what was reached and counts anew: rounds beyond `roundsMax` are refused. */
  begin(recording: boolean, roundsMax = Infinity): void {
    this.#recording = recording;
    this.#rounds = 0;
    this.#roundsMax = roundsMax;
    this.#endless = false;
    if (recording) for (const { reached } of this.#files.values()) reached.clear();
  }

  /** Rounds of loops since `begin`. */
  get rounds(): number {
    return this.#rounds;
  }

  /** Whether a loop was refused since `begin`. */
  get wasEndless(): boolean {
    return this.#endless;
  }

  /** The mutants whose place was passed since `begin`. */
  reached(): MutantInFile[] {
    return [...this.#files].flatMap(([file, own]) =>
      [...own.reached].map((number) => ({ file, number })),
    );
  }
}

declare global {
  // A property of the global object is what instrumented files find without an import.
  var mutationSwitches: Switches;
}
