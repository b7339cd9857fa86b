import { mergeSums } from "../model/merge-points.ts";
import { ALL_SECONDS, withoutSecondZero } from "../model/columns.ts";
import { csvRenderer, defaultRenderer, xyRenderer } from "../render/csv.ts";
import { forgetColumns } from "../render/render-kernel.ts";
import { type MetricsFormat, type Renderer, OutputBuffer } from "../render/renderer.ts";
import type { Points } from "../store/store.ts";
import { type SelectedPart, hashOfLabel } from "../series/endpoint-selection.ts";
import { selectedSums } from "../series/selected-series.ts";
import { openSnapshot } from "../series/open-snapshot.ts";
import { Yielder } from "../concurrency/yielder.ts";
import { inWindows } from "./coarse-points.ts";
import type { Snapshot } from "../store/snapshot.ts";

/** Parameters of `GET /Api/Metrics`. */
export interface MetricsQuery extends SelectedPart {
  /** Seconds per data point, at least 1; points begin at multiples of it. */
  readonly resolutionSeconds: number;
  readonly format: MetricsFormat;
}

/** A response to be written from one snapshot of the load test. */
export interface MetricsAnswer {
  /** Revision of the load test's data; see `Snapshot.revision`. */
  readonly revision: string;
  /**
   * Yields the bytes of the JSON array in chunks, valid until the next. Call at most once. Bounded memory; yields to
   * other work. Throws what `Snapshot.read` throws, and `sum-too-large` if points cannot be merged exactly.
   */
  chunks(): AsyncIterable<Uint8Array>;
  /** Releases the snapshot and what was read. Must be called. Idempotent. */
  release(): void;
}

/** Opens the load test as it is now. Throws `unknown-load-test`. */
export async function openMetrics(points: Points, query: MetricsQuery): Promise<MetricsAnswer> {
  const snapshot = await openSnapshot(points, query.loadTestId, query);
  let released = false;
  return {
    revision: snapshot.revision,
    chunks: () => writeAnswer(snapshot, query),
    release() {
      if (!released) snapshot.release();
      forgetColumns();
      released = true;
    },
  };
}

const RENDERERS: Record<MetricsFormat, Renderer> = {
  csv: csvRenderer,
  xy: xyRenderer,
  default: defaultRenderer,
};

async function* writeAnswer(snapshot: Snapshot, query: MetricsQuery): AsyncGenerator<Uint8Array> {
  const yielder = new Yielder();
  const range = query.range === undefined ? ALL_SECONDS : withoutSecondZero(query.range);
  const wanted = { selection: query.selection, range };
  const renderer = RENDERERS[query.format];
  const output = new OutputBuffer();
  let separator = "[";
  for await (const { endpoint, columns } of selectedSums(snapshot, wanted)) {
    output.ascii(separator);
    separator = ",";
    const metrics = {
      label: endpoint.label,
      hash: hashOfLabel(endpoint.label),
      columns: inWindows(columns, query.resolutionSeconds, mergeSums),
      secondsPerPoint: query.resolutionSeconds,
    };
    for (const chunk of renderer.render(metrics, output)) {
      yield chunk;
      if (yielder.isDue()) await yielder.next();
    }
    if (yielder.isDue()) await yielder.next();
  }
  output.ascii(separator === "[" ? "[]" : "]");
  yield output.take();
}
