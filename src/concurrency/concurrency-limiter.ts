import { Mutex } from "./mutex.ts";

/** Runs at most so many tasks side by side, and some tasks alone. */
export class ConcurrencyLimiter {
  readonly #max: number;
  readonly #onFree: () => void;
  #running = 0;
  readonly #exclusive = new Mutex();
  /** Tasks that run alone, or wait for it. */
  #exclusiveTasks = 0;
  #onIdle: (() => void)[] = [];

  /** `onFree` is called when there may be room for a task again. */
  constructor(max: number, onFree: () => void) {
    this.#max = max;
    this.#onFree = onFree;
  }

  /** Whether a task can start beside others: never while one waits to run alone. */
  get isFree(): boolean {
    return this.#running < this.#max && this.#exclusiveTasks === 0;
  }

  /** Starts a task beside others, however it ends. To be called only while `isFree`. */
  start(task: () => Promise<void>): void {
    if (!this.isFree) throw new Error("BUG: too many tasks");
    this.#running += 1;
    const end = (): void => {
      this.#running -= 1;
      if (this.#running === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
      this.#onFree();
    };
    task().then(end, end);
  }

  /** Runs a task while no other one runs, after all earlier exclusive ones. */
  async runExclusive<Result>(task: () => Promise<Result>): Promise<Result> {
    this.#exclusiveTasks += 1;
    try {
      return await this.#exclusive.run(async () => {
        await this.#idle();
        return task();
      });
    } finally {
      this.#exclusiveTasks -= 1;
      this.#onFree();
    }
  }

  /** Waits until no task runs, and none waits to run alone. */
  async settle(): Promise<void> {
    while (this.#running > 0 || this.#exclusiveTasks > 0) {
      await this.#exclusive.run(async () => undefined);
      await this.#idle();
    }
  }

  #idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }
}
