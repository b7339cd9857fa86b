import { crc32, createInflateRaw } from "node:zlib";
import type { ChunkReader } from "./chunk-reader.ts";
import type { Transform } from "node:stream";
import { UserError } from "../model/errors.ts";

const HEADER_BYTES = 10;
const TRAILER_BYTES = 8;
const METHOD_DEFLATE = 8;

/** Bits of the header's flag byte: the optional parts after it (RFC 1952, 2.3.1). */
const HAS_CHECKSUM = 2;
const HAS_EXTRA = 4;
const HAS_NAME = 8;
const HAS_COMMENT = 16;
const OUTPUT_BYTES = 64 * 1024;
const RATIO_LOOKED_AT_AFTER_BYTES = 1024 * 1024;

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Inflates all members of a gzip stream (RFC 1952). Parses the container itself: `node:zlib` drops inflated
 * bytes when data after the last member is wrong. Zeros after the last member are padding.
 */
export async function* gunzip(reader: ChunkReader, end: StreamEnd): AsyncGenerator<Uint8Array> {
  let members = 0;
  while (end.fault === undefined && isGzip(await reader.peek(2))) {
    members += 1;
    if (await skipHeader(reader)) yield* member(reader, end);
    else end.fault = cutStream(`member ${members} has a damaged header`);
  }
  if (end.fault !== undefined) return;
  await skipUntil(reader, (byte) => byte !== 0);
  if ((await reader.peek(1)).length === 0) return;
  end.fault = cutStream("bytes that are not gzip follow its last member");
}

async function* member(reader: ChunkReader, end: StreamEnd): AsyncGenerator<Uint8Array> {
  let checksum = 0;
  let sizeBytes = 0;
  for await (const chunk of inflate(reader, createInflateRaw({ chunkSize: OUTPUT_BYTES }), end)) {
    checksum = crc32(chunk, checksum);
    sizeBytes += chunk.length;
    yield chunk;
  }
  if (end.fault !== undefined) return;
  end.fault = checkTrailer(await reader.take(TRAILER_BYTES), checksum, sizeBytes);
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
  await skipUntil(reader, (byte) => byte === 0);
  await reader.take(1);
}

async function skipUntil(reader: ChunkReader, isWanted: (byte: number) => boolean): Promise<void> {
  for await (const bytes of reader) {
    const wanted = bytes.findIndex(isWanted);
    if (wanted < 0) continue;
    reader.putBack(bytes.subarray(wanted));
    return;
  }
}

/** A decompressor of `node:zlib`, created for one stream. */
type Engine = Transform & { readonly bytesWritten: number };

/** Why a compressed stream could not be read to its end. */
export interface StreamFault {
  readonly reason: string;
  /** If true, bytes are corrupt and no output can be trusted; if false, the stream is truncated. */
  readonly isDamaged: boolean;
}

/** Where a decompressor says what is wrong with its stream, once it has returned all chunks. */
export interface StreamEnd {
  fault?: StreamFault | undefined;
}

/** A stream that is truncated or followed by other data. */
export function cutStream(reason: string): StreamFault {
  return { reason, isDamaged: false };
}

function damagedStream(reason: string): StreamFault {
  return { reason, isDamaged: true };
}

const STEP_BYTES = 32 * 1024;

/**
 * Inflates one stream and leaves the reader after its last byte. Memory: one input step and one output buffer.
 * `ownBytes` returns how many bytes of a step belong to the stream, if known in advance.
 */
export async function* inflate(
  reader: ChunkReader,
  engine: Engine,
  end: StreamEnd,
  ownBytes: (step: Uint8Array) => number = (step) => step.length,
): AsyncGenerator<Uint8Array> {
  const watch = new EngineWatch(engine);
  try {
    for (;;) {
      const step = await reader.take(STEP_BYTES);
      const own = ownBytes(step);
      reader.putBack(step.subarray(own));
      watch.give(step.subarray(0, own));
      yield* watch.chunks();
      if (watch.ending === undefined) continue;
      end.fault = watch.ending.fault;
      if (end.fault === undefined) reader.putBack(watch.unused());
      return;
    }
  } finally {
    engine.destroy();
  }
}

/** Reads an engine manually: iterating over it would discard buffered output when it fails. */
class EngineWatch {
  /** `undefined` while the stream continues. */
  ending: StreamEnd | undefined;
  readonly #engine: Engine;
  #given: Uint8Array = new Uint8Array(0);
  #givenBytes = 0;
  #isWritten = true;
  #wake: (() => void) | undefined;

  constructor(engine: Engine) {
    this.#engine = engine;
    engine.on("readable", () => this.#wake?.());
    engine.on("end", () => this.#settle({ fault: undefined }));
    engine.on("error", (error) => this.#settle({ fault: faultOf(error) }));
  }

  /** No bytes: end of input. */
  give(bytes: Uint8Array): void {
    this.#given = bytes;
    this.#givenBytes += bytes.length;
    this.#isWritten = false;
    if (bytes.length === 0) this.#engine.end();
    else {
      this.#engine.write(bytes, () => {
        this.#isWritten = true;
        this.#wake?.();
      });
    }
  }

  /** Yields output until the given bytes are used up or the stream ends. */
  async *chunks(): AsyncGenerator<Uint8Array, void> {
    for (;;) {
      const chunk = this.#engine.read() as Uint8Array | null;
      if (chunk !== null) yield chunk;
      else if (this.ending !== undefined) return;
      // Reading only part of the input means that the stream has ended: its `end` is about to come.
      else if (this.#isWritten && this.#engine.bytesWritten === this.#givenBytes) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  /** Given bytes after the end of the stream. */
  unused(): Uint8Array {
    const unread = this.#givenBytes - this.#engine.bytesWritten;
    return this.#given.subarray(this.#given.length - unread);
  }

  #settle(end: StreamEnd): void {
    this.ending ??= end;
    this.#wake?.();
  }
}

/** `Z_BUF_ERROR` is the code for input that ends too early. */
function faultOf(error: Error): StreamFault {
  if ("code" in error && error.code === "Z_BUF_ERROR")
    return cutStream("it ends before its end mark");
  return damagedStream(error.message);
}

/** Limits of decompression, for uploads; local files need none. */
export interface InflateLimit {
  readonly inflatedBytes: number;
  /** Decompressed bytes per given byte, checked above 1 MiB of output. */
  readonly ratio: number;
}

/** Throws `source-too-large` if the limit is exceeded. */
export function checkInflated(
  limit: InflateLimit,
  inflatedBytes: number,
  givenBytes: number,
): void {
  if (inflatedBytes > limit.inflatedBytes) {
    throw new UserError(
      "source-too-large",
      `the source decompresses to more than the ${limit.inflatedBytes} bytes allowed`,
    );
  }
  if (inflatedBytes <= RATIO_LOOKED_AT_AFTER_BYTES) return;
  if (inflatedBytes > givenBytes * limit.ratio) {
    throw new UserError(
      "source-too-large",
      `the source decompresses from ${givenBytes} to ${inflatedBytes} bytes: more than ${limit.ratio} to 1`,
    );
  }
}
