import type { Rejection } from "../model/import-report.ts";
import { ChunkReader } from "./chunk-reader.ts";
import type { InflateLimit } from "./gzip.ts";
import { PlainText, unreadable } from "./plain-text.ts";
import { type Beginning, type Digests, SourceDigest } from "./source-digest.ts";

export interface SourceOptions {
  /** Beginnings to look for in `SourceEnd.beginnings`, such as earlier imports. */
  readonly beginnings?: readonly Beginning[];
  /** @default no limit */
  readonly inflateLimit?: InflateLimit | undefined;
  /** Of text without byte order mark, as `TextDecoder` names it. @default UTF-8 */
  readonly encoding?: string | undefined;
  /** For chunks that are not compressed; finished at their end. @default digests the decompressed chunks */
  readonly digest?: Pick<SourceDigest, "update" | "finish">;
}

export interface Source {
  /** First `HEAD_BYTES` of `bytes`. Throws `unreadable-source` for an archive, two layers of compression, or a damaged or empty stream. */
  head(): Promise<Uint8Array>;
  /** Throws what `bytes` throws, and closes the source then. */
  isCompressed(): Promise<boolean>;
  /**
   * All decompressed bytes; a chunk is valid until the next one is requested. Throws `unreadable-source` (for
   * damage possibly after much output) and `source-too-large`.
   */
  bytes(): AsyncIterable<Uint8Array>;
  /** Valid only after `bytes` has ended. */
  end(): SourceEnd;
  /** Releases the chunks; not needed after iterating over `bytes`, even in part. */
  close(): Promise<void>;
}

/** Digests of the decompressed, not transcoded content. */
export interface SourceEnd extends Digests {
  /** Where decompression or transcoding stopped; everything before was returned. */
  readonly truncatedAt: Rejection | undefined;
  /** Length of the byte order mark; `undefined` for transcoded text. */
  readonly markBytes: number | undefined;
}

const HEAD_BYTES = 64 * 1024;

const REPLACED = "a compressed file has taken its place since it was opened: import it again";

/**
 * Opens a source by its content: decompresses one layer of gzip or zstd, transcodes UTF-16, drops the byte
 * order mark. A truncated source yields everything complete; `end().truncatedAt` is where it stops. Bounded
 * memory.
 */
export function openSource(
  chunks: AsyncIterable<Uint8Array>,
  { beginnings = [], inflateLimit, encoding, digest: ownDigest }: SourceOptions = {},
): Source {
  const digest = ownDigest ?? new SourceDigest(beginnings);
  const given = new ChunkReader(chunks);
  const plain = new PlainText(given, { limit: inflateLimit, encoding }, (bytes) =>
    digest.update(bytes),
  );
  const text = new ChunkReader(plain.bytes());
  let end: SourceEnd | undefined;
  const source: Source = {
    async head() {
      const head = await text.peek(HEAD_BYTES);
      if (head.length === 0 && plain.truncatedAt !== undefined)
        throw unreadable(plain.truncatedAt.reason);
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
        if (ownDigest !== undefined && (await source.isCompressed())) throw unreadable(REPLACED);
        yield* text;
        // Whoever gives the chunks may wait until all are read.
        while ((await given.next()) !== undefined);
        const { truncatedAt, markBytes } = plain;
        end = { ...digest.finish(), truncatedAt, markBytes };
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
