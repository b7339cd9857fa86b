import { Mutex } from "../../../concurrency/mutex.ts";

/** Work on one thing, some of it side by side, some of it alone. */
export class Lanes {
  readonly #count: number;
  readonly #freed: () => void;
  #busy = 0;
  readonly #alone = new Mutex();
  #waitingAlone = 0;
  #idle: (() => void)[] = [];

  /** `freed` is told when there may be a free lane again. */
  constructor(count: number, freed: () => void) {
    this.#count = count;
    this.#freed = freed;
  }

  /** Who waits to be alone comes before further work beside others. */
  get isFree(): boolean {
    return this.#busy < this.#count && this.#waitingAlone === 0;
  }

  /** Begins work beside other work. There has to be a free lane. */
  begin(work: () => Promise<void>): void {
    if (!this.isFree) throw new Error("BUG: no lane is free");
    this.#busy += 1;
    const end = (): void => {
      this.#busy -= 1;
      if (this.#busy === 0) for (const idle of this.#idle.splice(0)) idle();
      this.#freed();
    };
    work().then(end, end);
  }

  /** Does `work` while nothing else is done, after all that asked for that before. */
  async alone<Result>(work: () => Promise<Result>): Promise<Result> {
    this.#waitingAlone += 1;
    try {
      return await this.#alone.run(async () => {
        await this.#becomeIdle();
        return work();
      });
    } finally {
      this.#waitingAlone -= 1;
      this.#freed();
    }
  }

  /** Waits until nothing is done, and nobody waits to be alone. */
  async settle(): Promise<void> {
    while (this.#busy > 0 || this.#waitingAlone > 0) {
      await this.#alone.run(async () => undefined);
      await this.#becomeIdle();
    }
  }

  #becomeIdle(): Promise<void> {
    if (this.#busy === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }
}
