interface SemaphoreOptions {
  readonly max: number;
  /** Maximum waiting tasks per owner, and the error of a further one. @default no limit */
  readonly waiting?: { readonly max: number; readonly refuse: () => Error };
}

interface Waiting {
  readonly owner: string;
  readonly begin: () => void;
}

/** Limits concurrent tasks. The next one is of the owner with the fewest running tasks; of these, the one that has waited longest. */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  readonly #waiting: Waiting[] = [];
  /** Owners of the running tasks, once per task. */
  readonly #running: string[] = [];

  constructor(options: SemaphoreOptions) {
    this.#options = options;
  }

  get isAwaited(): boolean {
    return this.#waiting.length > 0;
  }

  /** Waits until the task may run, and runs it. Throws the error of `refuse`, and errors of the task. */
  async run<Result>(owner: string, task: () => Promise<Result>): Promise<Result> {
    await this.#begin(owner);
    try {
      return await task();
    } finally {
      this.#running.splice(this.#running.indexOf(owner), 1);
      this.#beginNext();
    }
  }

  async #begin(owner: string): Promise<void> {
    const { max, waiting } = this.#options;
    if (this.#running.length < max) {
      this.#running.push(owner);
      return;
    }
    const waitingOfOwner = this.#waiting.filter((each) => each.owner === owner).length;
    if (waiting !== undefined && waitingOfOwner >= waiting.max) throw waiting.refuse();
    await new Promise<void>((begin) => this.#waiting.push({ owner, begin }));
  }

  #beginNext(): void {
    const runningOf = ({ owner }: Waiting): number =>
      this.#running.filter((each) => each === owner).length;
    const fewest = Math.min(...this.#waiting.map(runningOf));
    const at = this.#waiting.findIndex((each) => runningOf(each) === fewest);
    const [next] = at === -1 ? [] : this.#waiting.splice(at, 1);
    if (next === undefined) return;
    this.#running.push(next.owner);
    next.begin();
  }
}
