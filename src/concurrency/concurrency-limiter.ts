import { Mutex } from "./mutex.ts";

/** Runs at most `max` tasks concurrently, and exclusive tasks alone. */
export class ConcurrencyLimiter {
  readonly #max: number;
  readonly #onFree: () => void;
  #running = 0;
  readonly #exclusive = new Mutex();
  /** Exclusive tasks, running or waiting. */
  #exclusiveTasks = 0;
  #onIdle: (() => void)[] = [];

  /** `onFree` is called when another task may be able to start. */
  constructor(max: number, onFree: () => void) {
    this.#max = max;
    this.#onFree = onFree;
  }

  /** Whether a task can start; never while an exclusive task waits. */
  get isFree(): boolean {
    return this.#running < this.#max && this.#exclusiveTasks === 0;
  }

  /** Starts a task. Requires `isFree`. Errors of the task are ignored. */
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

  /** Runs a task alone, after all earlier exclusive ones. */
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

  /** Waits until no task runs and no exclusive one waits. */
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
