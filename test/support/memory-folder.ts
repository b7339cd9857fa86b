/** A spool folder in memory. It works without delay and records every call. */

import type { SpoolFolder } from "../../src/remote/spool-folder.ts";

export class MemoryFolder implements SpoolFolder {
  readonly place = "the folder";
  readonly files = new Map<string, Uint8Array<ArrayBuffer>>();
  readonly aside: string[] = [];
  /** Names that were read, in order. */
  readonly reads: string[] = [];
  /** Sizes of the files written, in order. */
  readonly puts: number[] = [];

  async list() {
    const names = [...this.files.keys()].toSorted();
    return names.map((name) => ({ name, sizeBytes: this.files.get(name)?.length ?? 0 }));
  }

  async put(name: string, content: Uint8Array): Promise<void> {
    this.puts.push(content.length);
    this.files.set(name, Uint8Array.from(content));
  }

  async read(name: string) {
    this.reads.push(name);
    return this.files.get(name);
  }

  async remove(name: string): Promise<void> {
    this.files.delete(name);
  }

  async putAside(name: string): Promise<void> {
    this.files.delete(name);
    this.aside.push(name);
  }
}
