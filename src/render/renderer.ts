import type { SumColumns } from "../model/data-points.ts";

/** A chunk except the last has more bytes: each costs a write to the socket. At most 256 KiB with a piece. */
const CHUNK_BYTES = 192 * 1024;

/** What may be written at once: points of one call to the kernel, an overview, or an escaped label. */
const PIECE_BYTES_MAX = 64 * 1024;

const ENCODER = new TextEncoder();

/** A reused buffer for renderers. Not safe for two responses at once. */
export class OutputBuffer {
  readonly #bytes = new Uint8Array(CHUNK_BYTES + PIECE_BYTES_MAX);
  #end = 0;

  /** Whether `take` is due; otherwise `PIECE_BYTES_MAX` are free. */
  get isFull(): boolean {
    return this.#end > CHUNK_BYTES;
  }

  /** Returns the bytes since the last call; valid until the next write. */
  take(): Uint8Array {
    const written = this.#bytes.subarray(0, this.#end);
    this.#end = 0;
    return written;
  }

  bytes(piece: Uint8Array): void {
    this.#bytes.set(piece, this.#end);
    this.#end += piece.length;
  }

  ascii(text: string): void {
    for (let index = 0; index < text.length; index++) {
      this.#bytes[this.#end + index] = text.charCodeAt(index);
    }
    this.#end += text.length;
  }

  jsonString(text: string): void {
    const json = JSON.stringify(text);
    const { read, written } = ENCODER.encodeInto(json, this.#bytes.subarray(this.#end));
    if (read < json.length) throw new Error(`BUG: no room for a text of ${json.length} characters`);
    this.#end += written;
  }
}

/** The result formats of `GET /Api/Metrics`. */
export const METRICS_FORMATS = ["csv", "xy", "default"] as const;

export type MetricsFormat = (typeof METRICS_FORMATS)[number];

/** Writes one endpoint's metrics as one item of the response. */
export interface Renderer {
  readonly format: MetricsFormat;

  /** Appends a JSON object in UTF-8; yields `output` when full, valid until the next step. The rest stays in it. */
  render(endpoint: EndpointMetrics, output: OutputBuffer): Iterable<Uint8Array>;
}

export interface EndpointMetrics {
  /** Well-formed text of at most 1,024 bytes UTF-8. */
  readonly label: string;
  /** SHA-1 of the label's UTF-8 bytes, 40 lower-case hex digits. */
  readonly hash: string;
  /** Ascending by second; second 0 holds requests without a timestamp. */
  readonly columns: SumColumns;
  /** At least 1. */
  readonly secondsPerPoint: number;
}
