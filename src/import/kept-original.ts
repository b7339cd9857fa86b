import { baseNameOf, checkFileName, type KeptFile, type SourcePlace } from "../model/kept-file.ts";
import type { FileWriter } from "../store/store.ts";
import type { ImportTarget } from "./ensure-load-test.ts";
import type { StoredState } from "./stored-states.ts";

/** How the original is kept. */
export interface KeepRequest {
  /** @default no limit */
  readonly bytesMax?: number | undefined;
  /** Name of the key. */
  readonly author?: string | undefined;
}

interface Original extends SourcePlace {
  readonly name: string;
}

const NOT_KEPT =
  "the original file was not kept by this import, as the run has its content already: " +
  '"tachograph attachments add" attaches it';

/** Keeps the bytes of a source while they are decoded; nothing without a request. */
export class KeptOriginal {
  readonly #request: KeepRequest | undefined;
  /** Until it is known whether the source is read from these chunks. */
  #head: Uint8Array[] | undefined = [];
  #writer: FileWriter | undefined;

  constructor(request: KeepRequest | undefined) {
    this.#request = request;
  }

  begin({ files }: ImportTarget, original: Original): void {
    if (this.#request === undefined) return;
    if (files === undefined) throw new Error("BUG: this target keeps no files");
    // A path tells readers of a link about this machine.
    const name = checkFileName(baseNameOf(original.name) || original.name);
    this.#writer = files.begin({ ...this.#request, ...original, name });
  }

  /** Passes the chunks of a source through. */
  following(chunks: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    return this.#request === undefined ? chunks : this.#passing(chunks);
  }

  async *#passing(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      if (this.#head === undefined) await this.#writer?.write(chunk);
      else this.#head.push(Uint8Array.from(chunk));
      yield chunk;
    }
  }

  /** Keeps the chunks that were passed through, and those to come. Call once `begin` has been called. */
  async fromChunks(): Promise<void> {
    const head = this.#head ?? [];
    this.#head = undefined;
    for (const chunk of head) await this.#writer?.write(chunk);
  }

  /** Returns what takes all bytes instead: chunks were read for the format only. */
  fromFile(): ((bytes: Uint8Array) => Promise<void>) | undefined {
    if (this.#request === undefined) return undefined;
    this.#head = [];
    return async (bytes) => this.#writer?.write(bytes);
  }

  /** See `FileWriter.finish`. */
  async finish(): Promise<KeptFile | undefined> {
    return this.#writer?.finish();
  }

  /** The same for a source that was imported before; without one, and where that is not possible, nothing is kept. */
  async finishAt(place: SourcePlace | undefined): Promise<KeptFile | undefined> {
    const kept = place && (await this.#writer?.finish(place));
    if (kept === undefined) await this.discard();
    return kept;
  }

  /** Says so if it was to be kept, and is not. */
  notes(original: KeptFile | undefined): readonly string[] {
    return this.#request === undefined || original !== undefined ? [] : [NOT_KEPT];
  }

  async discard(): Promise<void> {
    await this.#writer?.discard();
  }
}

/** The source that was imported from a file of this size, among states of it. */
export function placeOf(
  loadTestId: string,
  states: readonly StoredState[],
  sizeBytes: number,
): SourcePlace | undefined {
  const imported = states.find(({ published }) => published?.sizeBytes === sizeBytes);
  return imported && { loadTestId, sourceId: imported.sourceId };
}
