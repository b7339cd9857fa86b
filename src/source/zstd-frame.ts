/** Magic number and descriptor: what says how long the rest of a frame's header is. */
const HEAD_BYTES = 5;
const BLOCK_HEAD_BYTES = 3;
const CHECKSUM_BYTES = 4;
/** By the two bits that say so; a frame without a window has at least one byte of size. */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];
/** A block that repeats one byte has that byte only. */
const REPEATED = 1;

/**
 * Follows a frame of zstd from its magic number on, by the lengths in its headers (RFC 8878, 3.1.1),
 * and tells where it ends. Node does so each time differently: 22 takes a frame that is cut short for a
 * whole one, 24 stops behind a frame, and 26 reads on into the next ones.
 */
export class ZstdFrame {
  readonly #head: number[] = [];
  #headBytes = HEAD_BYTES;
  #bytesToSkip = 0;
  #checksumBytes = 0;
  #isInLastBlock = false;

  get isWhole(): boolean {
    return this.#isInLastBlock && this.#bytesToSkip === 0;
  }

  /** Takes further bytes. Answers how many of them come before the end of the frame. */
  take(bytes: Uint8Array): number {
    let at = 0;
    while (at < bytes.length && !this.isWhole) {
      if (this.#bytesToSkip === 0) {
        this.#head.push(bytes[at] as number);
        at += 1;
        if (this.#head.length === this.#headBytes) this.#readHead();
      } else {
        const skipped = Math.min(this.#bytesToSkip, bytes.length - at);
        at += skipped;
        this.#bytesToSkip -= skipped;
      }
    }
    return at;
  }

  #readHead(): void {
    if (this.#headBytes === HEAD_BYTES) this.#readFrameHead(this.#head.at(-1) as number);
    else this.#readBlockHead(this.#head as [number, number, number]);
    this.#headBytes = BLOCK_HEAD_BYTES;
    this.#head.length = 0;
  }

  #readFrameHead(descriptor: number): void {
    const isSingleSegment = (descriptor & 0x20) !== 0;
    const sizeBytes = CONTENT_SIZE_BYTES[descriptor >> 6] as number;
    const windowBytes = isSingleSegment ? 0 : 1;
    const leastSizeBytes = isSingleSegment ? 1 : 0;
    this.#checksumBytes = (descriptor & 0x04) === 0 ? 0 : CHECKSUM_BYTES;
    this.#bytesToSkip =
      windowBytes +
      (DICTIONARY_ID_BYTES[descriptor & 0x03] as number) +
      Math.max(sizeBytes, leastSizeBytes);
  }

  #readBlockHead([low, middle, high]: readonly [number, number, number]): void {
    const head = low | (middle << 8) | (high << 16);
    const contentBytes = ((head >> 1) & 0x03) === REPEATED ? 1 : head >> 3;
    this.#isInLastBlock = (head & 1) === 1;
    this.#bytesToSkip = contentBytes + (this.#isInLastBlock ? this.#checksumBytes : 0);
  }
}
