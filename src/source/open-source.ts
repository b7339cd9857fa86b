import type { Rejection } from "../model/import-report.ts";
import { ChunkReader } from "./chunk-reader.ts";
import type { InflateLimit } from "./gzip.ts";
import { PlainText, unreadable } from "./plain-text.ts";
import { type Beginning, BeginningDigests, type Digests, SourceDigest } from "./source-digest.ts";

export interface SourceOptions {
  /** What `SourceEnd.beginnings` is to speak of, such as earlier imports. */
  readonly beginnings?: readonly Beginning[];
  /** @default no limit */
  readonly inflateLimit?: InflateLimit;
}

/** Bytes of a result file, made readable: decompressed, UTF-8, no byte order mark. Read once. */
export interface Source {
  /**
   * The first bytes of what `bytes` will give: `HEAD_BYTES`, or all of a shorter source.
   * Throws `unreadable-source` for an archive, a second layer of compression, a damaged stream, and
   * where a cut leaves no text at all.
   */
  head(): Promise<Uint8Array>;
  /** Whether the bytes have to be inflated. Throws what `bytes` throws, and has let go of the chunks then. */
  isCompressed(): Promise<boolean>;
  /**
   * All plain bytes. A piece is valid until the next one is asked for. Throws `unreadable-source` for
   * an archive, a second layer of compression, and a compressed stream that proves to be damaged,
   * which may be after its text was given; `source-too-large`.
   */
  bytes(): AsyncIterable<Uint8Array>;
  /** What is known once `bytes` has come to its end; not to be called before. */
  end(): SourceEnd;
  /** Lets go of the chunks; not needed where `bytes` was iterated, be it in part. */
  close(): Promise<void>;
}

/**
 * About a source that was read to its end. The digests are of its plain content, decompressed but not
 * transcoded; a beginning that `isAsGiven` is also looked for in the bytes as given.
 */
export interface SourceEnd extends Digests {
  /** Where decompression or transcoding had to stop: everything before that was given. */
  readonly cut: Rejection | undefined;
  /** Bytes in front of the text: those of a byte order mark. `undefined` for UTF-16. */
  readonly markBytes: number | undefined;
}

/** As many bytes as formats are told by. */
const HEAD_BYTES = 64 * 1024;

/**
 * Makes the bytes of a source readable, by their content alone: gzip and zstd are inflated (one
 * layer), UTF-16 is transcoded, a byte order mark is taken away. Of a source that was cut,
 * what is whole is given, and `end().cut` says where it stops. Memory is bounded; nothing is read ahead.
 */
export function openSource(
  chunks: AsyncIterable<Uint8Array>,
  { beginnings = [], inflateLimit }: SourceOptions = {},
): Source {
  const digest = new SourceDigest(beginnings);
  const asGiven = new BeginningDigests(beginnings.filter(({ isAsGiven }) => isAsGiven));
  const given = new ChunkReader(chunks, (chunk) => asGiven.update(chunk));
  const plain = new PlainText(given, inflateLimit, (bytes) => digest.update(bytes));
  const text = new ChunkReader(plain.bytes());
  let end: SourceEnd | undefined;
  const source: Source = {
    async head() {
      const head = await text.peek(HEAD_BYTES);
      if (head.length === 0 && plain.cut !== undefined) throw unreadable(plain.cut.reason);
      return head;
    },
    async isCompressed() {
      try {
        await text.peek(1);
        return plain.isCompressed;
      } catch (error) {
        await source.close();
        throw error;
      }
    },
    async *bytes() {
      try {
        for (let bytes = await text.next(); bytes !== undefined; bytes = await text.next()) {
          yield bytes;
        }
        // What follows the end of a compressed stream belongs to the bytes as given.
        while ((await given.next()) !== undefined);
        const { cut, markBytes } = plain;
        const digests = digest.finish();
        const found = new Map([...asGiven.finish(), ...digests.beginnings]);
        end = { ...digests, beginnings: found, cut, markBytes };
      } finally {
        await source.close();
      }
    },
    end() {
      if (end === undefined) throw new Error("BUG: the source has not been read to its end");
      return end;
    },
    async close() {
      await text.close();
      await given.close();
    },
  };
  return source;
}
