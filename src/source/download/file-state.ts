/** Whether responses at different times are about the same bytes. */

import { createHash, type Hash } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** Identifies the state of a file, as far as the server does. */
export interface FileState {
  /** Promises the same bytes. `undefined` for weak tags, which do not, and never match `If-Match`. */
  readonly entityTag: string | undefined;
  readonly lastModified: string | undefined;
  readonly sizeBytes: number | undefined;
}

/** `sizeBytes` is that of the whole file, where the response is a part of it. */
export function stateOf({ headers }: IncomingMessage, sizeBytes: number | undefined): FileState {
  const length = headers["content-length"];
  const { etag } = headers;
  return {
    entityTag: etag === undefined || etag.startsWith("W/") ? undefined : etag,
    lastModified: headers["last-modified"],
    sizeBytes: sizeBytes ?? (length === undefined ? undefined : Number(length)),
  };
}

/** What both say together; `undefined` if they contradict each other. */
export function mergeStates(before: FileState, after: FileState): FileState | undefined {
  if (before.entityTag !== after.entityTag || before.lastModified !== after.lastModified) {
    return undefined;
  }
  const sizeBytes = before.sizeBytes ?? after.sizeBytes;
  if (sizeBytes !== (after.sizeBytes ?? sizeBytes)) return undefined;
  return { ...before, sizeBytes };
}

export interface ReceivedRange {
  readonly fromByte: number;
  /** Of the whole file; `undefined` if the server does not say. */
  readonly sizeBytes: number | undefined;
}

/** The part of the file that a response is. Throws for an unreadable `Content-Range`. */
export function rangeOf({ statusCode, headers }: IncomingMessage): ReceivedRange {
  if (statusCode !== 206) return { fromByte: 0, sizeBytes: undefined };
  const text = headers["content-range"] ?? "";
  const [, from, size] = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(text) ?? [];
  if (from === undefined) {
    throw new Error(`got Content-Range "${text}", expected "bytes FROM-TO/SIZE"`);
  }
  return { fromByte: Number(from), sizeBytes: size === "*" ? undefined : Number(size) };
}

/** The received part of a file, to be dropped from a response that starts from the beginning. */
export class ReceivedPart {
  sizeBytes = 0;
  /** SHA-256; not needed where a strong entity tag promises the same bytes. */
  readonly #digest: Hash | undefined;

  constructor({ entityTag }: FileState) {
    this.#digest = entityTag === undefined ? createHash("sha256") : undefined;
  }

  add(chunk: Uint8Array): void {
    this.sizeBytes += chunk.length;
    this.#digest?.update(chunk);
  }

  /**
   * The bytes behind this part in a body that starts at `fromByte`, which is 0 or where this part ends. Throws
   * what `changed` returns if the body starts with other bytes.
   */
  async *dropFrom(
    body: AsyncIterable<Uint8Array>,
    fromByte: number,
    changed: () => Error,
  ): AsyncGenerator<Uint8Array> {
    let left = this.sizeBytes - fromByte;
    const expected = left === 0 ? undefined : this.#digest?.copy().digest();
    const repeated = createHash("sha256");
    for await (const chunk of body) {
      const known = chunk.subarray(0, left);
      left -= known.length;
      if (known.length > 0 && expected !== undefined) {
        repeated.update(known);
        if (left === 0 && !expected.equals(repeated.digest())) throw changed();
      }
      if (known.length < chunk.length) yield chunk.subarray(known.length);
    }
  }
}
