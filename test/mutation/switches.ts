/** The switches of all instrumented files in one process: at most one mutant is on. */

/** Thrown by a loop that exceeds its limit of iterations. */
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

  /** Called by the first line of an instrumented file. */
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

  /** Turns a mutant on and the previous one off. */
  turnOn(mutant: MutantInFile | undefined): void {
    for (const [file, own] of this.#files) {
      own.on = file === mutant?.file ? mutant.number : undefined;
    }
    if (mutant !== undefined) this.of(mutant.file).on = mutant.number;
  }

  /** Resets what was reached and the loop count: iterations beyond `roundsMax` throw. */
  begin(recording: boolean, roundsMax = Infinity): void {
    this.#recording = recording;
    this.#rounds = 0;
    this.#roundsMax = roundsMax;
    this.#endless = false;
    if (recording) for (const { reached } of this.#files.values()) reached.clear();
  }

  /** Loop iterations since `begin`. */
  get rounds(): number {
    return this.#rounds;
  }

  /** Whether a loop was stopped since `begin`. */
  get wasEndless(): boolean {
    return this.#endless;
  }

  /** The mutants whose place was reached since `begin`. */
  reached(): MutantInFile[] {
    return [...this.#files].flatMap(([file, own]) =>
      [...own.reached].map((number) => ({ file, number })),
    );
  }
}

declare global {
  // Instrumented files find it as a global, without an import.
  var mutationSwitches: Switches;
}
