import { HttpError } from "./http-error.ts";

export interface TurnLimits {
  /** So many at once. */
  readonly atOnceMax: number;
  /** So many more wait; further ones are turned away. */
  readonly waitingMax: number;
}

/** Lets work begin in the order in which it came, only so much of it at once. */
export class Turns {
  readonly #limits: TurnLimits;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;

  constructor(limits: TurnLimits) {
    this.#limits = limits;
  }

  /** Waits for a turn, does the work and passes the turn on. Throws `too-many-uploads`. */
  async take<Result>(work: () => Promise<Result>): Promise<Result> {
    await this.#begin();
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#underWay -= 1;
      else next();
    }
  }

  async #begin(): Promise<void> {
    const { atOnceMax, waitingMax } = this.#limits;
    if (this.#underWay < atOnceMax) {
      this.#underWay += 1;
      return;
    }
    if (this.#waiting.length >= waitingMax) {
      throw new HttpError(
        "too-many-uploads",
        `${atOnceMax} uploads are being imported (uploadsMax) and ${waitingMax} wait ` +
          "(waitingUploadsMax): expected fewer at once",
        { headers: { "Retry-After": RETRY_AFTER } },
      );
    }
    await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** Seconds; a large file takes that long. */
const RETRY_AFTER = "10";
