import { constants, createZstdDecompress } from "node:zlib";
import type { ChunkReader } from "./chunk-reader.ts";
import { cutStream, inflate, type StreamEnd } from "./gzip.ts";

const MAGIC_BYTES = 4;
const SIZE_BYTES = 4;
const FRAME = 0xfd2fb528;

/** Sixteen magic numbers begin skippable frames (RFC 8878, 3.1.2). */
const SKIPPABLE = 0x184d2a50;
const OUTPUT_BYTES = 128 * 1024;

/** Maximum window of a frame, as a power of two: the default limit of zstd itself. */
const WINDOW_LOG = 27;

/** Window that RFC 8878 requires readers to support; enough for files without `--ultra` and `--long`. */
const LIMITED_WINDOW_LOG = 23;

/** Magic number and descriptor, which give the length of the rest of a frame's header. */
const HEAD_BYTES = 5;
const BLOCK_HEAD_BYTES = 3;
const CHECKSUM_BYTES = 4;

/** By the two size bits; a frame without a window has at least one size byte. */
const DICTIONARY_ID_BYTES = [0, 1, 2, 4];
const CONTENT_SIZE_BYTES = [0, 2, 4, 8];

/** A block that repeats one byte contains only that byte. */
const REPEATED = 1;

export function isZstd(head: Uint8Array): boolean {
  const magic = magicOf(head);
  return magic === FRAME || isSkippable(magic);
}

/** Decompresses all frames of a zstd stream. The window is at most 8 MiB if `isLimited`, else 128 MiB. */
export async function* unzstd(
  reader: ChunkReader,
  end: StreamEnd,
  isLimited: boolean,
): AsyncGenerator<Uint8Array> {
  const windowLog = isLimited ? LIMITED_WINDOW_LOG : WINDOW_LOG;
  const options = {
    chunkSize: OUTPUT_BYTES,
    params: { [constants.ZSTD_d_windowLogMax]: windowLog },
  };
  while (end.fault === undefined) {
    const head = await reader.peek(MAGIC_BYTES);
    if (head.length === 0) return;
    const magic = magicOf(head);
    if (magic === FRAME) {
      const frame = new ZstdFrame();
      yield* inflate(reader, createZstdDecompress(options), end, (step) => frame.take(step));
      if (!frame.isWhole) end.fault ??= cutStream("it ends before its end mark");
    } else if (!isSkippable(magic)) {
      end.fault = cutStream("bytes that are not zstd follow its last frame");
    } else if (!(await skipFrame(reader))) {
      end.fault = cutStream("it ends within a frame to be skipped");
    }
  }
}

async function skipFrame(reader: ChunkReader): Promise<boolean> {
  await reader.take(MAGIC_BYTES);
  const size = await reader.take(SIZE_BYTES);
  if (size.length < SIZE_BYTES) return false;
  let left = littleEndian(size);
  while (left > 0) {
    const bytes = await reader.next();
    if (bytes === undefined) return false;
    if (bytes.length > left) reader.putBack(bytes.subarray(left));
    left = Math.max(0, left - bytes.length);
  }
  return true;
}

function magicOf(head: Uint8Array): number | undefined {
  return head.length < MAGIC_BYTES ? undefined : littleEndian(head);
}

function isSkippable(magic: number | undefined): boolean {
  return magic !== undefined && magic >= SKIPPABLE && magic < SKIPPABLE + 16;
}

function littleEndian(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getUint32(0, true);
}

/**
 * Finds the end of a zstd frame from the lengths in its headers (RFC 8878, 3.1.1). Node versions differ: 22
 * accepts a truncated frame, 24 stops after a frame, 26 continues with the next one.
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

  /** Returns how many of the bytes belong to the frame. */
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
