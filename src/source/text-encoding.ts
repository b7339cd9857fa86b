import type { ChunkReader } from "./chunk-reader.ts";

type Utf16 = "utf-16le" | "utf-16be";

const MARK_BYTES = 3;

export function isUtf16(head: Uint8Array): boolean {
  return encodingOf(head) !== undefined;
}

/** Returns the length of the byte order mark; `undefined` for UTF-16, whose offsets differ from those of the bytes. */
export function markLength(head: Uint8Array): number | undefined {
  if (isUtf16(head)) return undefined;
  return hasUtf8Mark(head) ? MARK_BYTES : 0;
}

/**
 * Transcodes UTF-16 (detected by its mark) to UTF-8 and drops a UTF-8 mark; other bytes pass unchanged. Lone
 * surrogates become U+FFFD. Returns the fault at the end of the text.
 */
export async function* toUtf8(text: ChunkReader): AsyncGenerator<Uint8Array, string | undefined> {
  const mark = await text.peek(MARK_BYTES);
  const encoding = encodingOf(mark);
  if (encoding !== undefined) return yield* fromUtf16(text, encoding);
  if (hasUtf8Mark(mark)) await text.take(MARK_BYTES);
  for (let bytes = await text.next(); bytes !== undefined; bytes = await text.next()) yield bytes;
  return undefined;
}

function hasUtf8Mark(head: Uint8Array): boolean {
  return head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
}

function encodingOf(mark: Uint8Array): Utf16 | undefined {
  if (mark[0] === 0xff && mark[1] === 0xfe) return "utf-16le";
  if (mark[0] === 0xfe && mark[1] === 0xff) return "utf-16be";
  return undefined;
}

async function* fromUtf16(
  text: ChunkReader,
  encoding: Utf16,
): AsyncGenerator<Uint8Array, string | undefined> {
  await text.take(2);
  const decoder = new TextDecoder(encoding, { ignoreBOM: true });
  const encoder = new TextEncoder();
  let sizeBytes = 0;
  for (let bytes = await text.next(); bytes !== undefined; bytes = await text.next()) {
    sizeBytes += bytes.length;
    const utf8 = encoder.encode(decoder.decode(bytes, { stream: true }));
    if (utf8.length > 0) yield utf8;
  }
  if (sizeBytes % 2 === 1) return "the UTF-16 text ends in the middle of a character";
  const last = encoder.encode(decoder.decode());
  if (last.length > 0) yield last;
  return undefined;
}
