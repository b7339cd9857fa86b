import { crc32, createInflateRaw } from "node:zlib";
import type { ChunkReader } from "./chunk-reader.ts";
import { cutStream, damagedStream, inflate, type StreamFault } from "./inflate.ts";

const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const METHOD_DEFLATE = 8;
/** Bits of the header's flag byte: the optional parts behind it (RFC 1952, 2.3.1). */
const HAS_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;
const OUTPUT_BYTES = 64 * 1024;

/** Whether bytes that begin with `head` are a gzip stream. */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Inflates all members of a gzip stream, as RFC 1952 has it. The container is read here and not by
 * `node:zlib`, which throws away inflated bytes when what follows the last member is wrong. Returns
 * what is wrong with the stream; zeros behind the last member are padding.
 */
export async function* gunzip(
  reader: ChunkReader,
): AsyncGenerator<Uint8Array, StreamFault | undefined> {
  let members = 0;
  while (isGzip(await reader.peek(2))) {
    if (!(await skipHeader(reader))) {
      return cutStream(`member ${members + 1} has a damaged header`);
    }
    const fault = yield* member(reader);
    if (fault !== undefined) return fault;
    members += 1;
  }
  await skipZeros(reader);
  const behind = await reader.peek(1);
  if (behind.length === 0) return undefined;
  return cutStream("bytes that are not gzip follow its last member");
}

async function* member(reader: ChunkReader): AsyncGenerator<Uint8Array, StreamFault | undefined> {
  let checksum = 0;
  let sizeBytes = 0;
  const pieces = inflate(reader, createInflateRaw({ chunkSize: OUTPUT_BYTES }));
  try {
    for (;;) {
      const step = await pieces.next();
      if (step.done === true) {
        if (step.value.fault !== undefined) return step.value.fault;
        break;
      }
      checksum = crc32(step.value, checksum);
      sizeBytes += step.value.length;
      yield step.value;
    }
  } finally {
    await pieces.return({ fault: undefined });
  }
  return checkTrailer(await reader.take(TRAILER_BYTES), checksum, sizeBytes);
}

function checkTrailer(
  trailer: Uint8Array,
  checksum: number,
  sizeBytes: number,
): StreamFault | undefined {
  if (trailer.length < TRAILER_BYTES) return cutStream("it ends within its checksum");
  const view = new DataView(trailer.buffer, trailer.byteOffset, TRAILER_BYTES);
  if (view.getUint32(0, true) !== checksum) {
    return damagedStream("it is damaged, its checksum does not match its contents");
  }
  if (view.getUint32(4, true) !== sizeBytes % 2 ** 32) {
    return damagedStream("it is damaged, its length does not match its contents");
  }
  return undefined;
}

/** Whether there was a whole header of a kind that is known. */
async function skipHeader(reader: ChunkReader): Promise<boolean> {
  const header = await reader.take(HEADER_BYTES);
  if (header.length < HEADER_BYTES || header[2] !== METHOD_DEFLATE) return header.length < 3;
  const flags = header[3] as number;
  if ((flags & HAS_EXTRA) !== 0) {
    const [low = 0, high = 0] = await reader.take(2);
    await reader.take(low + high * 256);
  }
  if ((flags & HAS_NAME) !== 0) await skipPastZero(reader);
  if ((flags & HAS_COMMENT) !== 0) await skipPastZero(reader);
  if ((flags & HAS_CHECKSUM) !== 0) await reader.take(2);
  return true;
}

async function skipPastZero(reader: ChunkReader): Promise<void> {
  for (let bytes = await reader.next(); bytes !== undefined; bytes = await reader.next()) {
    const zero = bytes.indexOf(0);
    if (zero < 0) continue;
    reader.putBack(bytes.subarray(zero + 1));
    return;
  }
}

async function skipZeros(reader: ChunkReader): Promise<void> {
  for (let bytes = await reader.next(); bytes !== undefined; bytes = await reader.next()) {
    const other = bytes.findIndex((byte) => byte !== 0);
    if (other < 0) continue;
    reader.putBack(bytes.subarray(other));
    return;
  }
}
