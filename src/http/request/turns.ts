import { HttpError } from "../response/http-error.ts";

export interface TurnLimits {
  /** So many at once. */
  readonly atOnceMax: number;
  /** So many more of one owner wait; further ones are turned away. */
  readonly waitingMax: number;
}

interface Waiting {
  readonly owner: string;
  readonly begin: () => void;
}

/**
 * Lets only so much work be done at once. A turn goes to the owner with the fewest turns under way,
 * among these in the order in which the work came.
 */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #waiting: Waiting[] = [];
  /** Owners of the turns under way, each as often as it has one. */
  readonly #underWay: string[] = [];

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Whether work waits for a turn. */
  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** Waits for a turn, does the work and passes the turn on. Throws `too-many-uploads`. */
  async take<Result>(owner: string, work: () => Promise<Result>): Promise<Result> {
    await this.#begin(owner);
    try {
      return await work();
    } finally {
      this.#underWay.splice(this.#underWay.indexOf(owner), 1);
      this.#passOn();
    }
  }

  async #begin(owner: string): Promise<void> {
    const { atOnceMax, waitingMax } = this.#limits;
    if (this.#underWay.length < atOnceMax) {
      this.#underWay.push(owner);
      return;
    }
    if (this.#waiting.filter((each) => each.owner === owner).length >= waitingMax) {
      throw new HttpError(
        "too-many-uploads",
        `${atOnceMax} uploads are being imported (uploadsMax) and ${waitingMax} of this key wait ` +
          "(waitingUploadsMax): expected fewer at once",
        { headers: { "Retry-After": RETRY_AFTER } },
      );
    }
    await new Promise<void>((begin) => this.#waiting.push({ owner, begin }));
  }

  #passOn(): void {
    const turnsOf = ({ owner }: Waiting): number =>
      this.#underWay.filter((each) => each === owner).length;
    const fewest = Math.min(...this.#waiting.map(turnsOf));
    const at = this.#waiting.findIndex((each) => turnsOf(each) === fewest);
    const [next] = at === -1 ? [] : this.#waiting.splice(at, 1);
    if (next === undefined) return;
    this.#underWay.push(next.owner);
    next.begin();
  }
}

/** Seconds; a large file takes that long. */
const RETRY_AFTER = "10";
