import type { SumColumns } from "../model/data-points.ts";
import type { OutputBuffer } from "./output-buffer.ts";

/** The result formats of `GET /Api/Metrics`. */
export const METRICS_FORMATS = ["csv", "xy", "default"] as const;

export type MetricsFormat = (typeof METRICS_FORMATS)[number];

/** Port: writes one endpoint's metrics as one item of the answer, in one of the formats. */
export interface Renderer {
  readonly format: MetricsFormat;

  /**
   * Appends the item, a JSON object in UTF-8, to `output`. Yields what `output` holds each time it
   * is full; those bytes are valid until the iteration goes on. What is left at the end stays in
   * `output`, before the bytes of the next item.
   */
  render(endpoint: EndpointMetrics, output: OutputBuffer): Iterable<Uint8Array>;
}

/** What one endpoint did, ready to be written. */
export interface EndpointMetrics {
  /** Well-formed text of at most 1,024 bytes UTF-8. */
  readonly label: string;
  /** SHA-1 of the label's UTF-8 bytes, 40 lower-case hex digits. */
  readonly hash: string;
  /** Ascending by second. Second 0 holds the requests whose instant is not known. */
  readonly columns: SumColumns;
  /** How many seconds a point covers, from its `second` on; at least 1. */
  readonly secondsPerPoint: number;
}
