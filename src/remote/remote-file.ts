import { FILE } from "../api/files.ts";
import type { KeptFile, NewFile, SourcePlace } from "../model/kept-file.ts";
import type { FileWriter } from "../store/store.ts";
import type { ServerCalls } from "./server-calls.ts";

/** A file that is sent to a server while it is written. */
export class RemoteFile implements FileWriter {
  readonly #file: NewFile;
  readonly #answer: Promise<KeptFile>;
  readonly #body: WritableStreamDefaultWriter<Uint8Array>;

  /** `path`: where the load test has its files. */
  constructor(calls: ServerCalls, path: string, file: NewFile) {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const query = new URLSearchParams({ name: file.name, source: file.sourceId ?? "" });
    const call = { method: "POST", path: `${path}?${query}`, body: readable } as const;
    this.#file = file;
    this.#body = writable.getWriter();
    this.#answer = calls.request(call, FILE).then(({ addedAt, ...sent }) => {
      return { ...sent, addedAtMs: Date.parse(addedAt) };
    });
    // The server may refuse the file before it has read it.
    this.#answer.catch((error: unknown) => this.#body.abort(error).catch(() => undefined));
    this.#body.closed.catch(() => undefined);
  }

  async write(bytes: Uint8Array): Promise<void> {
    await this.#sent(async () => {
      await this.#body.ready;
      await this.#body.write(Uint8Array.from(bytes));
    });
  }

  async finish(place?: SourcePlace): Promise<KeptFile | undefined> {
    const { loadTestId, sourceId } = this.#file;
    const isOther = place && (place.loadTestId !== loadTestId || place.sourceId !== sourceId);
    if (isOther) return undefined;
    await this.#sent(() => this.#body.close());
    return this.#answer;
  }

  /** Throws why the server refused the file, not that its stream is closed. */
  async #sent(send: () => Promise<void>): Promise<void> {
    try {
      await send();
    } catch (error) {
      await this.#answer;
      throw error;
    }
  }

  async discard(): Promise<void> {
    await this.#body.abort().catch(() => undefined);
    await this.#answer.catch(() => undefined);
  }
}
