import type { Rejection } from "../model/import-report.ts";
import { ChunkReader } from "./chunk-reader.ts";
import type { InflateLimit } from "./inflate-limit.ts";
import { PlainText, unreadable } from "./plain-text.ts";
import { type Beginning, type Digests, SourceDigest } from "./source-digest.ts";

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
   * Throws `unreadable-source` for an archive, a second layer of compression, and where damage
   * leaves no text at all.
   */
  head(): Promise<Uint8Array>;
  /** Whether the bytes have to be inflated. Throws what `bytes` throws, and has let go of the chunks then. */
  isCompressed(): Promise<boolean>;
  /**
   * All plain bytes. A piece is valid until the next one is asked for. Throws for an archive and a
   * second layer of compression, and `source-too-large`.
   */
  bytes(): AsyncIterable<Uint8Array>;
  /** What is known once `bytes` has come to its end; not to be called before. */
  end(): SourceEnd;
  /** Lets go of the chunks; not needed where `bytes` was iterated, be it in part. */
  close(): Promise<void>;
}

/** About a source that was read to its end; the digests are of the bytes as given. */
export interface SourceEnd extends Digests {
  /** Where decompression or transcoding had to stop: everything before that was given. */
  readonly cut: Rejection | undefined;
}

/** As many bytes as formats are told by. */
const HEAD_BYTES = 64 * 1024;

/**
 * Makes the bytes of a source readable, by their content alone: gzip and zstd are inflated (one
 * layer), UTF-16 is transcoded, a byte order mark is taken away. Damage is no exception: what could
 * be read is given, and `end().cut` says where it stops. Memory is bounded; nothing is read ahead.
 */
export function openSource(
  chunks: AsyncIterable<Uint8Array>,
  { beginnings, inflateLimit }: SourceOptions = {},
): Source {
  const digest = new SourceDigest(beginnings);
  const given = new ChunkReader(chunks, (chunk) => digest.update(chunk));
  const plain = new PlainText(given, inflateLimit);
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
        // What stands behind the end of a compressed stream belongs to the digest as well.
        while ((await given.next()) !== undefined);
        end = { ...digest.finish(), cut: plain.cut };
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
