import type { ServerResponse } from "node:http";
import { cutOff, stalledMsOf } from "./guarded-writes.ts";
import { HttpError } from "./http-error.ts";

/** Answers up to this size are sent at once with their length. */
export const WHOLE_BYTES_MAX = 64 * 1024;

/** A reader that has taken nothing for so long loses its place to a reader who has fewer of them. */
const STALLED_MS_MIN = 1000;

/** Larger answers under way, all of a kind together: each holds memory for as long as its reader is slow. */
export class LargeResponses {
  readonly #max: number;
  /** Who reads them. */
  readonly #readers = new Map<ServerResponse, string>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether an answer of so many bytes may be sent now. */
  hasRoomFor(bytes: number): boolean {
    return bytes <= WHOLE_BYTES_MAX || this.#readers.size < this.#max;
  }

  /**
   * Makes room for an answer of so many bytes to `reader`, where that takes cutting off a stalled one
   * of somebody who reads more answers. Throws `busy`, to be sent in its place.
   */
  requireRoomFor(bytes: number, reader: string): void {
    if (this.hasRoomFor(bytes)) return;
    const stalled = this.#longestStalled(reader);
    if (stalled === undefined) {
      throw new HttpError(
        "busy",
        `${this.#max} large answers are being read, which is all that largeAnswersMax allows: ask ` +
          "again in a few seconds",
      );
    }
    cutOff(stalled);
    this.#readers.delete(stalled);
  }

  /** Sends an answer of so many bytes to `reader`, counted if it is large. */
  async count<Outcome>(
    response: ServerResponse,
    { bytes, reader }: { readonly bytes: number; readonly reader: string },
    send: () => Promise<Outcome>,
  ): Promise<Outcome> {
    if (bytes > WHOLE_BYTES_MAX) this.#readers.set(response, reader);
    try {
      return await send();
    } finally {
      this.#readers.delete(response);
    }
  }

  #longestStalled(asking: string): ServerResponse | undefined {
    const own = this.#countOf(asking);
    return [...this.#readers]
      .filter(([response]) => stalledMsOf(response) >= STALLED_MS_MIN)
      .toSorted(([one], [other]) => stalledMsOf(other) - stalledMsOf(one))
      .find(([, reader]) => this.#countOf(reader) > own)?.[0];
  }

  #countOf(reader: string): number {
    return [...this.#readers.values()].filter((each) => each === reader).length;
  }
}
