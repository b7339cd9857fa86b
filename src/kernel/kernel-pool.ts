/** Opens the modules of `kernel/`, which work in memory of their own that never moves nor grows. */

const compiled = new Map<string, WebAssembly.Module>();

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

/**
 * What a new instance of a module in base64 exports: its memory, constants, numbers that change and
 * functions. An instance takes a fraction of a millisecond to open, and as much memory as it comes
 * to use. The module itself is compiled once.
 */
export function openKernel(module: string): WebAssembly.Exports {
  const known = compiled.get(module);
  const opened = known ?? new WebAssembly.Module(Buffer.from(module, "base64"));
  if (known === undefined) compiled.set(module, opened);
  return new WebAssembly.Instance(opened).exports;
}
