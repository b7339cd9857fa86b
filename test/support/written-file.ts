/** A file that a test writes while it is followed, in memory, and a clock that stands still. */

import type { GrowingFile } from "../../src/live/follow-request.ts";

export class WrittenFile {
  /** What stands at the path now; `undefined` for nothing. */
  #standing: { bytes: Buffer } | undefined;

  append(bytes: Uint8Array | string): void {
    this.#standing ??= { bytes: Buffer.alloc(0) };
    this.#standing.bytes = Buffer.concat([this.#standing.bytes, Buffer.from(bytes)]);
  }

  /** Puts another file at the path; who has the earlier one open goes on reading that. */
  replace(bytes: Uint8Array | string): void {
    this.#standing = { bytes: Buffer.from(bytes) };
  }

  /** Makes the same file shorter. */
  truncate(sizeBytes: number): void {
    if (this.#standing === undefined) throw new Error("there is no file");
    this.#standing.bytes = Buffer.from(this.#standing.bytes.subarray(0, sizeBytes));
  }

  get bytes(): Buffer {
    return this.#standing?.bytes ?? Buffer.alloc(0);
  }

  open(): GrowingFile | undefined {
    const opened = this.#standing;
    if (opened === undefined) return undefined;
    return {
      sizeBytes: async () => opened.bytes.length,
      read: async (at, bytesMax) => opened.bytes.subarray(at, at + bytesMax),
      isReplaced: async () => this.#standing !== undefined && this.#standing !== opened,
      close: async () => {},
    };
  }
}
