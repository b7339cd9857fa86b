import { setImmediate as nextTurn } from "node:timers/promises";
import { releaseMemory } from "../../concurrency/release-memory.ts";
import { limitBytes } from "./decode-chunks.ts";
import { HttpError } from "../response/http-error.ts";

const RETRY_AFTER = "1";

/** Bounds the total memory of bodies that are held until their data are stored. */
export class HeldBytes {
  readonly #max: number;
  #held = 0;

  constructor(max: number) {
    this.#max = max;
  }

  /** Like `reading`, with the body in one piece. */
  readingWhole<Result>(
    body: AsyncIterable<Uint8Array>,
    use: (bytes: Uint8Array) => Promise<Result>,
  ): Promise<Result> {
    return this.reading(body, async (chunks) => {
      const bytes = Buffer.concat(chunks);
      for (const chunk of chunks) releaseMemory(chunk);
      try {
        return await use(bytes);
      } finally {
        releaseMemory(bytes);
      }
    });
  }

  /**
   * Reads a body to its end and holds it until `use` returns; then its memory is freed. Throws `busy` if all bodies together
   * exceed the limit, `body-too-large` if this one alone does, and errors of reading and of `use`.
   */
  async reading<Result>(
    body: AsyncIterable<Uint8Array>,
    use: (chunks: readonly Uint8Array[]) => Promise<Result>,
  ): Promise<Result> {
    const kept: Uint8Array[] = [];
    let own = 0;
    const limit = { bytesMax: this.#max, bytesSetting: "heldBytesMax" };
    try {
      for await (const chunk of limitBytes(body, limit)) {
        if (this.#held + chunk.length > this.#max) {
          throw new HttpError(
            "busy",
            `${this.#max} bytes of bodies are waiting to be stored, the limit of ` +
              "heldBytesMax allows: send it again in a second",
            { headers: { "Retry-After": RETRY_AFTER } },
          );
        }
        own += chunk.length;
        this.#held += chunk.length;
        kept.push(isSnug(chunk) ? chunk : Buffer.from(chunk));
      }
      return await use(kept);
    } finally {
      this.#held -= own;
      for (const chunk of kept) releaseMemory(chunk);
    }
  }
}

/** Whether a chunk, which nobody writes to again, keeps hardly more memory alive than a copy of it would. */
function isSnug({ buffer, length }: Uint8Array): boolean {
  return buffer.byteLength <= 1.25 * length;
}

/** Yields one buffered chunk per turn of the event loop. */
export async function* inTurns(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    yield chunk;
    await nextTurn();
  }
}
