/** Opens the modules of `kernel/`. Each instance has its own memory, which never moves or grows. */

const compiled = new Map<string, WebAssembly.Module>();

/** Pools instances of a kernel, or other large reusable objects. Those not given back are garbage-collected. */
export class KernelPool<Instance> {
  readonly #open: () => Instance;
  readonly #idleMax: number;
  readonly #idle: Instance[] = [];

  constructor(open: () => Instance, idleMax = 2) {
    this.#open = open;
    this.#idleMax = idleMax;
  }

  take(): Instance {
    return this.#idle.pop() ?? this.#open();
  }

  /** Returns an instance to the pool. It must be reset, and must not be used afterwards. */
  giveBack(instance: Instance): void {
    if (this.#idle.length < this.#idleMax) this.#idle.push(instance);
  }
}

/** An instance of a module in base64: its functions, and the numbers and memory that it exports. */
export class Kernel<Functions> {
  readonly functions: Functions;
  readonly buffer: ArrayBuffer;
  readonly #numbers: Readonly<Record<string, WebAssembly.Global>>;

  constructor(module: string, imports?: WebAssembly.Imports) {
    const exports = openKernel(module, imports);
    this.functions = exports as Functions;
    this.buffer = (exports["memory"] as WebAssembly.Memory).buffer;
    this.#numbers = exports as Record<string, WebAssembly.Global>;
  }

  /** A place in its memory, a size, or a result of the last call, by the name in its code. */
  number(name: string): number {
    return (this.#numbers[name] as WebAssembly.Global).value as number;
  }

  /** 32-bit words at a place. */
  words(place: string, length: number): Uint32Array<ArrayBuffer> {
    return new Uint32Array(this.buffer, this.number(place), length);
  }

  doubles(place: string, length: number): Float64Array<ArrayBuffer> {
    return new Float64Array(this.buffer, this.number(place), length);
  }

  /** Writes bytes to a place, `after` bytes behind it. Returns their number. */
  write(place: string, bytes: Uint8Array, after = 0): number {
    new Uint8Array(this.buffer, this.number(place) + after, bytes.length).set(bytes);
    return bytes.length;
  }
}

/** Instantiates a module in base64, compiled once, in a fraction of a millisecond. Returns its exports. */
export function openKernel(module: string, imports?: WebAssembly.Imports): WebAssembly.Exports {
  const known = compiled.get(module);
  const opened = known ?? new WebAssembly.Module(Buffer.from(module, "base64"));
  if (known === undefined) compiled.set(module, opened);
  return new WebAssembly.Instance(opened, imports).exports;
}
