import { constants, createZstdDecompress } from "node:zlib";
import { ZstdFrame } from "./zstd-frame.ts";
import type { ChunkReader } from "./chunk-reader.ts";
import { cutStream, inflate, type StreamFault } from "./inflate.ts";

const MAGIC_BYTES = 4;
const SIZE_BYTES = 4;
const FRAME = 0xfd2fb528;
/** Sixteen magic numbers begin frames that a reader is to skip (RFC 8878, 3.1.2). */
const SKIPPABLE = 0x184d2a50;
const OUTPUT_BYTES = 128 * 1024;
/** Memory that a frame may ask for, as a power of two: all that zstd itself reads by default. */
const WINDOW_LOG = 27;
/** What RFC 8878 wants every reader to have, and files need without `--ultra` and `--long`. */
const LIMITED_WINDOW_LOG = 23;

/** Whether bytes that begin with `head` are a zstd stream. */
export function isZstd(head: Uint8Array): boolean {
  const magic = magicOf(head);
  return magic === FRAME || isSkippable(magic);
}

/**
 * Inflates all frames of a zstd stream. Returns what is wrong with it. If it `isLimited`, a frame
 * may have a window of 8 MiB, else of 128 MiB.
 */
export async function* unzstd(
  reader: ChunkReader,
  isLimited: boolean,
): AsyncGenerator<Uint8Array, StreamFault | undefined> {
  const windowLog = isLimited ? LIMITED_WINDOW_LOG : WINDOW_LOG;
  const options = {
    chunkSize: OUTPUT_BYTES,
    params: { [constants.ZSTD_d_windowLogMax]: windowLog },
  };
  for (;;) {
    const head = await reader.peek(MAGIC_BYTES);
    if (head.length === 0) return undefined;
    const magic = magicOf(head);
    if (isSkippable(magic)) {
      if (!(await skipFrame(reader))) return cutStream("it ends within a frame to be skipped");
    } else if (magic === FRAME) {
      const frame = new ZstdFrame();
      const engine = createZstdDecompress(options);
      const { fault } = yield* inflate(reader, engine, (step) => frame.take(step));
      if (fault !== undefined) return fault;
      if (!frame.isWhole) return cutStream("it ends before its end mark");
    } else {
      return cutStream("bytes that are not zstd follow its last frame");
    }
  }
}

/** Whether the frame was there to its end. */
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
