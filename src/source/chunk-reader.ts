const NOTHING = new Uint8Array(0);

/** Reads chunks with look-ahead. A chunk, and views into it, are valid until the next one is requested. */
export class ChunkReader {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #arrived: (chunk: Uint8Array) => void;
  #ahead: Uint8Array = NOTHING;
  #ended = false;
  #position = 0;

  /** `arrived` is called for every chunk, once and in order. */
  constructor(
    chunks: AsyncIterable<Uint8Array>,
    arrived: (chunk: Uint8Array) => void = () => undefined,
  ) {
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#arrived = arrived;
  }

  get position(): number {
    return this.#position;
  }

  /** Takes what is available, at least one byte; `undefined` at the end. */
  async next(): Promise<Uint8Array | undefined> {
    await this.#await(1);
    return this.#ahead.length === 0 ? undefined : this.#take(this.#ahead.length);
  }

  /** Takes all chunks as they come. What is put back comes next. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void> {
    for (let bytes = await this.next(); bytes !== undefined; bytes = await this.next()) yield bytes;
  }

  /** Returns the next `count` bytes without consuming them; fewer at the end. */
  async peek(count: number): Promise<Uint8Array> {
    await this.#await(count);
    return this.#ahead.subarray(0, count);
  }

  /** Takes `count` bytes; fewer before the end. */
  async take(count: number): Promise<Uint8Array> {
    await this.#await(count);
    return this.#take(Math.min(count, this.#ahead.length));
  }

  /** Puts back the bytes taken last. Their memory must not change until they are read. */
  putBack(bytes: Uint8Array): void {
    this.#ahead = joined(bytes, this.#ahead);
    this.#position -= bytes.length;
  }

  /** Stops reading and lets the source release its resources. */
  async close(): Promise<void> {
    this.#ended = true;
    await this.#chunks.return?.();
  }

  async #await(count: number): Promise<void> {
    while (this.#ahead.length < count && !this.#ended) {
      // Not `slice`: the one of a `Buffer` gives a view.
      const held = new Uint8Array(this.#ahead);
      const step = await this.#chunks.next();
      if (step.done === true) this.#ended = true;
      else this.#arrived(step.value);
      this.#ahead = joined(held, step.done === true ? NOTHING : step.value);
    }
  }

  #take(count: number): Uint8Array {
    const taken = this.#ahead.subarray(0, count);
    this.#ahead = this.#ahead.subarray(count);
    this.#position += count;
    return taken;
  }
}

function joined(left: Uint8Array, right: Uint8Array): Uint8Array {
  if (left.length === 0) return right;
  if (right.length === 0) return left;
  const both = new Uint8Array(left.length + right.length);
  both.set(left);
  both.set(right, left.length);
  return both;
}
