import { UserError } from "../model/errors.ts";
import type { Rejection } from "../model/import-report.ts";
import { ChunkReader } from "./chunk-reader.ts";
import { gunzip, isGzip, type InflateLimit, type StreamEnd, checkInflated } from "./gzip.ts";
import { isZstd, unzstd } from "./zstd.ts";

interface Compression {
  readonly name: string;
  recognises(head: Uint8Array): boolean;
  inflate(reader: ChunkReader, end: StreamEnd, isLimited: boolean): AsyncIterable<Uint8Array>;
}

const COMPRESSIONS: readonly Compression[] = [
  { name: "gzip", recognises: isGzip, inflate: gunzip },
  { name: "zstd", recognises: isZstd, inflate: unzstd },
];

const NEWLINE = 0x0a;

/** Removes one compression and one encoding from the bytes of a source. */
export class PlainText {
  /** Where the text is truncated; valid after the last of `bytes`. */
  truncatedAt: Rejection | undefined;
  /** Valid once `bytes` has returned any. */
  isCompressed = false;
  /** Bytes of the byte order mark; `undefined` for transcoded text. Valid once `bytes` has returned any. */
  markBytes: number | undefined = 0;
  readonly #given: ChunkReader;
  readonly #limit: InflateLimit | undefined;
  readonly #encoding: string | undefined;
  readonly #inflatedBytes: (bytes: Uint8Array) => void;
  /** Why the text is truncated. */
  #fault: string | undefined;

  /** `inflated` gets every decompressed byte before transcoding, once and in order. */
  constructor(
    given: ChunkReader,
    {
      limit,
      encoding,
    }: { readonly limit: InflateLimit | undefined; readonly encoding: string | undefined },
    inflated: (bytes: Uint8Array) => void,
  ) {
    this.#given = given;
    this.#limit = limit;
    this.#encoding = encoding;
    this.#inflatedBytes = inflated;
  }

  /** Throws `unreadable-source` and `source-too-large`. */
  async *bytes(): AsyncGenerator<Uint8Array> {
    const head = await this.#given.peek(CONTAINER_HEAD_BYTES);
    const refused = refusedContainer(head);
    if (refused !== undefined) throw unreadable(refused);
    const compression = compressionOf(head);
    this.isCompressed = compression !== undefined;
    const inflated = new ChunkReader(
      compression === undefined ? this.#given : this.#inflated(compression),
      this.#inflatedBytes,
    );
    try {
      if (compression !== undefined) await refuseSecondLayer(compression, inflated);
      this.markBytes = markLength(await inflated.peek(3));
      if (this.markBytes === 0 && this.#encoding !== undefined) this.markBytes = undefined;
      const text = this.#utf8(inflated);
      // Plain UTF-8 cannot be truncated here, and counting its lines would take time.
      const counted = compression !== undefined || this.markBytes === undefined;
      yield* counted ? this.#counted(text) : text;
    } finally {
      await inflated.close();
    }
  }

  async *#inflated(compression: Compression): AsyncGenerator<Uint8Array, void> {
    const end: StreamEnd = {};
    let inflatedBytes = 0;
    for await (const chunk of compression.inflate(this.#given, end, this.#limit !== undefined)) {
      inflatedBytes += chunk.length;
      if (this.#limit !== undefined) {
        checkInflated(this.#limit, inflatedBytes, this.#given.position);
      }
      yield chunk;
    }
    if (end.fault === undefined) return;
    const { reason, isDamaged } = end.fault;
    if (!isDamaged) {
      this.#fault = `the ${compression.name} stream cannot be read further: ${reason}`;
      return;
    }
    throw unreadable(
      `its ${compression.name} stream cannot be decompressed: ${reason}; nothing was ` +
        `imported, copy or compress the file again`,
    );
  }

  async *#counted(text: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
    let line = 1;
    let byte = 0;
    for await (const chunk of text) {
      line += newlinesIn(chunk);
      byte += chunk.length;
      yield chunk;
    }
    if (this.#fault !== undefined) this.truncatedAt = { line, byte, reason: this.#fault };
  }

  /** Transcodes UTF-16 (by its mark) to UTF-8, lone surrogates to U+FFFD; drops a UTF-8 mark; passes other bytes. */
  async *#utf8(text: ChunkReader): AsyncGenerator<Uint8Array> {
    const mark = await text.peek(MARK_BYTES);
    const encoding = encodingOf(mark);
    if (encoding !== undefined) {
      const isOdd = yield* fromUtf16(text, encoding);
      if (isOdd) this.#fault ??= "the UTF-16 text ends in the middle of a character";
      return;
    }
    if (hasUtf8Mark(mark)) await text.take(MARK_BYTES);
    else if (this.#encoding !== undefined) {
      yield* transcoded(text, new TextDecoder(this.#encoding));
      return;
    }
    yield* text;
  }
}

async function* transcoded(text: ChunkReader, decoder: TextDecoder): AsyncGenerator<Uint8Array> {
  for await (const chunk of text) {
    yield Buffer.from(decoder.decode(chunk, { stream: true }));
  }
  yield Buffer.from(decoder.decode());
}

async function refuseSecondLayer(outer: Compression, inflated: ChunkReader): Promise<void> {
  const head = await inflated.peek(CONTAINER_HEAD_BYTES);
  const inner = compressionOf(head);
  const refused =
    inner === undefined
      ? refusedContainer(head)
      : `it is ${inner.name}: decompress it once and give the result`;
  if (refused !== undefined) throw unreadable(`inside its ${outer.name} compression ${refused}`);
}

/** Returns the error for a source without readable text; `what` is a clause. */
export function unreadable(what: string): UserError {
  return new UserError("unreadable-source", `cannot read the source: ${what}`);
}

function compressionOf(head: Uint8Array): Compression | undefined {
  return COMPRESSIONS.find((compression) => compression.recognises(head));
}

function newlinesIn(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) {
    count += 1;
    // A search costs as much as fifty bytes, so the shortest lines are counted without one.
    for (; bytes[at + 1] === NEWLINE || bytes[at + 2] === NEWLINE; count++) {
      at += bytes[at + 1] === NEWLINE ? 1 : 2;
    }
  }
  return count;
}

/** Where a growing file's text begins, after its mark. Throws `unreadable-source` for compression and UTF-16. */
export function textStart(head: Uint8Array): number {
  const refused = refusedContainer(head) ?? refusedForGrowing(head);
  if (refused !== undefined) throw unreadable(refused);
  return markLength(head) ?? 0;
}

function refusedForGrowing(head: Uint8Array): string | undefined {
  const kind = isGzip(head) ? "gzip" : isZstd(head) ? "zstd" : undefined;
  if (kind !== undefined) {
    return `it is compressed (${kind}) and cannot be followed: import it when it is finished`;
  }
  if (encodingOf(head) === undefined) return undefined;
  return "it is UTF-16 and cannot be followed: let it be written as UTF-8, or import it when it is finished";
}

/** A kind of file that contains other files or has an unsupported compression. */
interface ContainerKind {
  readonly name: string;
  readonly cure: string;
  readonly magic: readonly number[];
  /** Offset of the magic bytes. @default 0 */
  readonly at?: number;
}

/** Bytes that `refusedContainer` and `textStart` look at. */
export const CONTAINER_HEAD_BYTES = 512;

const EXTRACT = "extract the result file and give that";
const DECOMPRESS = "decompress it and give the result, or compress it with gzip or zstd";

const KINDS: readonly ContainerKind[] = [
  { name: "a zip archive", cure: EXTRACT, magic: [0x50, 0x4b, 0x03, 0x04] },
  { name: "an empty zip archive", cure: EXTRACT, magic: [0x50, 0x4b, 0x05, 0x06] },
  { name: "a part of a zip archive", cure: EXTRACT, magic: [0x50, 0x4b, 0x07, 0x08] },
  { name: "a 7z archive", cure: EXTRACT, magic: [0x37, 0x7a, 0xbc, 0xaf, 0x27, 0x1c] },
  { name: "a rar archive", cure: EXTRACT, magic: [0x52, 0x61, 0x72, 0x21, 0x1a, 0x07] },
  { name: "a tar archive", cure: EXTRACT, magic: [0x75, 0x73, 0x74, 0x61, 0x72], at: 257 },
  { name: "an xz file", cure: DECOMPRESS, magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00] },
  { name: "a bzip2 file", cure: DECOMPRESS, magic: [0x31, 0x41, 0x59, 0x26, 0x53, 0x59], at: 4 },
  { name: "an lz4 file", cure: DECOMPRESS, magic: [0x04, 0x22, 0x4d, 0x18] },
  { name: "a snappy file", cure: DECOMPRESS, magic: [0xff, 0x06, 0x00, 0x00, 0x73, 0x4e] },
  { name: "a file of compress (.Z)", cure: DECOMPRESS, magic: [0x1f, 0x9d] },
];

/** Returns the kind of a refused source and how to convert it. */
function refusedContainer(head: Uint8Array): string | undefined {
  const kind = KINDS.find(({ magic, at = 0 }) =>
    magic.every((byte, index) => head[at + index] === byte),
  );
  return kind === undefined ? undefined : `it is ${kind.name}: ${kind.cure}`;
}

type Utf16 = "utf-16le" | "utf-16be";

const MARK_BYTES = 3;

/** Returns the length of the byte order mark; `undefined` for UTF-16, whose offsets differ from those of the bytes. */
function markLength(head: Uint8Array): number | undefined {
  if (encodingOf(head) !== undefined) return undefined;
  return hasUtf8Mark(head) ? MARK_BYTES : 0;
}

function hasUtf8Mark(head: Uint8Array): boolean {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
}

function encodingOf(mark: Uint8Array): Utf16 | undefined {
  if (mark[0] === 0xff && mark[1] === 0xfe) return "utf-16le";
  if (mark[0] === 0xfe && mark[1] === 0xff) return "utf-16be";
  return undefined;
}

/** Returns whether half a character is left. */
async function* fromUtf16(text: ChunkReader, encoding: Utf16): AsyncGenerator<Uint8Array, boolean> {
  await text.take(2);
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  const encoder = new TextEncoder();
  let sizeBytes = 0;
  for await (const bytes of text) {
    sizeBytes += bytes.length;
    const utf8 = encoder.encode(decoder.decode(bytes, { stream: true }));
    if (utf8.length > 0) yield utf8;
  }
  if (sizeBytes % 2 === 1) return true;
  const last = encoder.encode(decoder.decode());
  if (last.length > 0) yield last;
  return false;
}
