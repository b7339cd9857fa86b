import type { SumColumns } from "../model/data-points.ts";
import type { OutputBuffer } from "./output-buffer.ts";

/** The result formats of `GET /Api/Metrics`. */
export const METRICS_FORMATS = ["csv", "xy", "default"] as const;

export type MetricsFormat = (typeof METRICS_FORMATS)[number];

/** Writes one endpoint's metrics as one item of the response. */
export interface Renderer {
  readonly format: MetricsFormat;

  /**
   * Appends a JSON object in UTF-8 to `output`. Yields the content of `output` when it is full, valid until the
   * next step; the rest stays in `output`.
   */
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
