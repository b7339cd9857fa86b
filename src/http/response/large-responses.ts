import type { ServerResponse } from "node:http";
import { cutOff, stalledMsOf } from "./guarded-writes.ts";
import { HttpError } from "./http-error.ts";

/** Responses up to this size are sent in one write with `Content-Length`. */
export const WHOLE_BYTES_MAX = 64 * 1024;

/** After this time without reading, a response can be dropped for a reader with fewer responses. */
const STALLED_MS_MIN = 1000;

/** Limits larger responses in flight: each holds memory while its client reads slowly. */
export class LargeResponses {
  readonly #max: number;
  readonly #readers = new Map<ServerResponse, string>();

  constructor(max: number) {
    this.#max = max;
  }

  /** Whether a response of this size may be sent now. */
  hasRoomFor(bytes: number): boolean {
    return bytes <= WHOLE_BYTES_MAX || this.#readers.size < this.#max;
  }

  /**
   * Makes room for a response of this size to `reader`, if necessary by aborting a stalled one of a reader
   * with more responses. Throws `busy`.
   */
  requireRoomFor(bytes: number, reader: string): void {
    if (this.hasRoomFor(bytes)) return;
    const stalled = this.#longestStalled(reader);
    if (stalled === undefined) {
      throw new HttpError(
        "busy",
        `${this.#max} large responses are being read, the limit of largeResponsesMax: ask ` +
          "again in a few seconds",
      );
    }
    cutOff(stalled);
    this.#readers.delete(stalled);
  }

  /** Runs `send` for a response of this size to `reader`, counted if it is large. */
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
