import { MeasureAccumulator } from "../aggregate/measure-accumulator.ts";
import type { LabelChoice } from "../decode/decoder.ts";
import { compareLabels, labelMatcher } from "../model/label.ts";
import type { DataPoints, MeasurementBatch } from "../model/data-points.ts";
import { labelOfSeries } from "../model/series/facets.ts";
import { bucketMiddle } from "../model/histogram.ts";
import { mergeMeasures } from "../model/measures/merge-measures.ts";
import { labelsOfMeasures, type MeasureSeries } from "../model/measures/measure-table.ts";
import type { RowQuality } from "../model/quality/row-quality.ts";
import { type Choice, chosenRole } from "../model/role.ts";

const MICROS_PER_MILLI = 1000;
const MILLIS_PER_SECOND = 1000;

/** Hides rows of chosen labels of the batches of a source, whatever its format; of measured ones, it adds the values. */
export class ChosenLabels {
  readonly #isMeasured: (label: string) => boolean;
  readonly #isIgnored: (label: string) => boolean;
  readonly #patterns: LabelChoice;
  readonly #found = new Set<Choice>();
  /** Rows by label. */
  readonly #rows = { measured: new Map<string, number>(), ignored: new Map<string, number>() };

  constructor({ measured = [], ignored = [] }: LabelChoice) {
    this.#patterns = { measured, ignored };
    this.#isMeasured = labelMatcher(measured);
    this.#isIgnored = labelMatcher(ignored);
  }

  /** Of a label or a series of it. */
  choiceFor(series: string): Choice | undefined {
    const label = labelOfSeries(series);
    if (this.#isIgnored(label)) return "ignored";
    return this.#isMeasured(label) ? "measured" : undefined;
  }

  /** The batch with the roles that its labels have now. */
  apply<Batch extends Chosen>(batch: Batch): Batch {
    const { labels, points, measures } = batch;
    const choices = this.#choicesIn(batch);
    const hasChoice = [...choices.values()].some((choice) => choice !== undefined);
    if (!hasChoice && batch.roles === undefined) return batch;
    const values = new MeasureAccumulator();
    for (const [point, label] of points.endpoint.entries()) {
      const choice = choices.get(label);
      if (choice === undefined) continue;
      this.#found.add(choice);
      const text = labelOfSeries(labels[label] as string);
      count(this.#rows[choice], text, points.requests[point] as number);
      if (choice === "measured") measure(values, points, point, text);
    }
    const samples = batch.samples?.filter(
      ({ label }) => label === undefined || this.choiceFor(label) === undefined,
    );
    const tables = [measures, values.take()].filter((table) => table !== undefined);
    return {
      ...batch,
      roles: Array.from(labels, (_, label) =>
        chosenRole(batch.roles?.[label] ?? "request", choices.get(label)),
      ),
      ...(samples && { samples }),
      ...(tables.length > 0 && { measures: mergeMeasures(tables) }),
    };
  }

  /** By label that has rows or measures. */
  #choicesIn({ labels, points, failures, measures }: Chosen) {
    const ofMeasures = measures === undefined ? [] : labelsOfMeasures(measures);
    const used = new Set([...points.endpoint, ...(failures?.counts.endpoint ?? []), ...ofMeasures]);
    return new Map(Array.from(used, (label) => [label, this.choiceFor(labels[label] as string)]));
  }

  /** Names the patterns of a choice that no row had. */
  notes(): readonly string[] {
    const { measured = [], ignored = [] } = this.#patterns;
    const choices = [
      ["measured", "to measure", measured],
      ["ignored", "to leave out", ignored],
    ] as const;
    return choices
      .filter(([choice, , patterns]) => patterns.length > 0 && !this.#found.has(choice))
      .map(([, what, patterns]) => `no label ${what} matches ${patterns.join(", ")}`);
  }

  /** What was hidden since the last call. */
  take(): Pick<RowQuality, "measurements" | "ignored"> {
    const { measured, ignored } = this.#rows;
    const [measurements, leftOut] = [measured, ignored].map((counts) => {
      const listed = [...counts].map(([name, values]) => ({ name, values }));
      counts.clear();
      return listed.toSorted((left, right) => compareLabels(left.name, right.name));
    });
    return { measurements, ignored: leftOut };
  }
}

type Chosen = Pick<MeasurementBatch, "labels" | "roles" | "points"> &
  Partial<Pick<MeasurementBatch, "failures" | "measures" | "samples">>;

export function seriesOfMeasured(name: string): MeasureSeries {
  return { label: undefined, name, unit: "ms", kind: "distribution", tags: [] };
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
  const series = measures.seriesOf(seriesOfMeasured(name));
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
