/** A file in memory that a test writes while it is followed, and a clock that does not advance. */

import type { GrowingFile } from "../../src/live/reading.ts";

export class WrittenFile {
  /** The file at the path; `undefined` if there is none. */
  #standing: { bytes: Buffer } | undefined;

  append(bytes: Uint8Array | string): void {
    this.#standing ??= { bytes: Buffer.alloc(0) };
    this.#standing.bytes = Buffer.concat([this.#standing.bytes, Buffer.from(bytes)]);
  }

  /** Puts another file at the path; readers that have the old one open continue to read that. */
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
