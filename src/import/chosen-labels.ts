import { MeasureAccumulator } from "../aggregate/measure-accumulator.ts";
import type { LabelChoice } from "../decode/decoder.ts";
import { labelMatcher } from "../model/label.ts";
import type { DataPoints, MeasurementBatch } from "../model/data-points.ts";
import { bucketMiddle } from "../model/histogram.ts";
import { mergeMeasures } from "../model/measures/merge-measures.ts";
import { hasNoMeasures, NO_MEASURES } from "../model/measures/measure-table.ts";
import type { RowQuality } from "../model/quality/row-quality.ts";
import { withoutLabels } from "./without-labels.ts";

const MICROS_PER_MILLI = 1000;
const MILLIS_PER_SECOND = 1000;

/** Takes rows of chosen labels out of the batches of a source, whatever its format. */
export class ChosenLabels {
  readonly #isMeasured: (label: string) => boolean;
  readonly #isIgnored: (label: string) => boolean;
  /** Values and rows by label. */
  readonly #measured = new Map<string, number>();
  readonly #ignored = new Map<string, number>();

  constructor({ measured = [], ignored = [] }: LabelChoice) {
    this.#isMeasured = labelMatcher(measured);
    this.#isIgnored = labelMatcher(ignored);
  }

  /** What of a batch remains; `undefined` if nothing does. */
  apply(batch: MeasurementBatch): MeasurementBatch | undefined {
    const { labels, points } = batch;
    const used = [...new Set(points.endpoint)];
    const textOf = (label: number) => labels[label] as string;
    const ignored = used.filter((label) => this.#isIgnored(textOf(label)));
    const measured = used.filter(
      (label) => !ignored.includes(label) && this.#isMeasured(textOf(label)),
    );
    if (ignored.length + measured.length === 0) return batch;
    const measures = new MeasureAccumulator();
    for (const [point, label] of points.endpoint.entries()) {
      const requests = points.requests[point] as number;
      if (ignored.includes(label)) count(this.#ignored, textOf(label), requests);
      if (!measured.includes(label)) continue;
      count(this.#measured, textOf(label), requests);
      measure(measures, points, point, textOf(label));
    }
    const { rest } = withoutLabels(batch, [...ignored, ...measured].map(textOf));
    // What was measured of these rows goes with them on demand: it is not lost.
    const others = rest.measures && { ...rest.measures, unstored: NO_MEASURES.unstored };
    const unstored = batch.measures && { ...NO_MEASURES, unstored: batch.measures.unstored };
    const tables = [others, unstored, measures.take()]
      .filter((table) => table !== undefined)
      .filter((table) => !hasNoMeasures(table));
    const left = { ...rest, measures: tables.length === 0 ? undefined : mergeMeasures(tables) };
    const isEmpty =
      left.points.second.length +
        left.failures.counts.second.length +
        left.users.counts.second.length ===
        0 &&
      left.reported === undefined &&
      left.measures === undefined;
    return isEmpty ? undefined : left;
  }

  /** What was taken out since the last call. */
  take(): Pick<RowQuality, "measurements" | "ignored"> {
    const [measurements, ignored] = [this.#measured, this.#ignored].map((counts) => {
      const listed = [...counts].map(([name, values]) => ({ name, values }));
      counts.clear();
      return listed;
    });
    return { measurements, ignored };
  }
}

function count(counts: Map<string, number>, label: string, requests: number): void {
  counts.set(label, (counts.get(label) ?? 0) + requests);
}

/** Adds the response times of a point. */
function measure(
  measures: MeasureAccumulator,
  points: DataPoints,
  point: number,
  name: string,
): void {
  const untimed = points.untimedRequests?.[point] ?? 0;
  const timed = (points.requests[point] as number) - untimed;
  if (timed === 0) return;
  const series = measures.seriesOf({
    label: undefined,
    name,
    unit: "ms",
    kind: "distribution",
    tags: [],
  });
  const [min, max] = [points.minMicros[point] as number, points.maxMicros[point] as number];
  const entries: [number, number][] = [];
  const end = points.bucketsFrom[point + 1] as number;
  for (let entry = points.bucketsFrom[point] as number; entry < end; entry++) {
    const middle = bucketMiddle(points.bucket[entry] as number);
    const value = Math.min(max, Math.max(min, middle)) / MICROS_PER_MILLI;
    entries.push([value, points.bucketCount[entry] as number]);
  }
  measures.addWindow(series, (points.second[point] as number) * MILLIS_PER_SECOND, {
    count: timed,
    sum: (points.elapsedMicros[point] as number) / MICROS_PER_MILLI,
    ...(Number.isFinite(min) && { min: min / MICROS_PER_MILLI }),
    ...(Number.isFinite(max) && { max: max / MICROS_PER_MILLI }),
    entries,
  });
}
