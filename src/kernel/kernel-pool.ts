/** Idle instances of a kernel that are kept. */
const IDLE_MAX = 2;

/**
 * Instances of a kernel for whoever needs one for a while. To open one takes the memory of some
 * megabytes, which is why they are used again; those that are not given back are simply forgotten.
 */
export class KernelPool<Instance> {
  readonly #open: () => Instance;
  readonly #idle: Instance[] = [];

  constructor(open: () => Instance) {
    this.#open = open;
  }

  take(): Instance {
    return this.#idle.pop() ?? this.#open();
  }

  /** Takes back an instance that is as good as new, and of which nobody makes use any more. */
  giveBack(instance: Instance): void {
    if (this.#idle.length < IDLE_MAX) this.#idle.push(instance);
  }
}
