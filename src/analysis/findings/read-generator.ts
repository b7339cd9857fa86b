import type { BusyGenerator, GeneratorFinding } from "../../api/findings.ts";
import { paced } from "../../concurrency/yielder.ts";
import { decimalOf } from "../../model/measures/decimal-sum.ts";
import type { MeasureSeries } from "../../model/measures/measure-table.ts";
import type { SecondRange } from "../../model/columns.ts";
import { heldSeconds } from "../../query/measure-figures.ts";
import type { Snapshot } from "../../store/snapshot.ts";

const BUSY_PERCENT = 90;

/** The first seconds of a process are busy. Of a short run, a part of it. */
const BUSY_SECONDS = { min: 10, max: 30 } as const;
const BUSY_SHARE = 0.1;

/** Of iterations: so few may be the last ones of a run. */
const DROPPED_SHARE_MIN = 0.001;

/** Finds whether a load generator was at its limit in `range`, by what was measured of it. Throws `sum-too-large`, `damaged-store`. */
export async function readGenerator(
  snapshot: Snapshot,
  range: SecondRange,
): Promise<GeneratorFinding | undefined> {
  const { series } = await snapshot.measureIndex();
  const busy = await readBusy(snapshot, series, range);
  const spans: SecondRange[] = [...busy];
  const [dropped, iterations] = await Promise.all(
    ["dropped_iterations", "iterations"].map((name) =>
      readCounter(snapshot, series.filter(isCounter(name)), range),
    ),
  );
  const droppedIterations = dropped?.sum ?? 0;
  const due = droppedIterations + (iterations?.sum ?? 0);
  const isDropping = dropped !== undefined && droppedIterations > due * DROPPED_SHARE_MIN;
  if (isDropping) spans.push(dropped);
  if (spans.length === 0) return undefined;
  const most = busy.toSorted((left, right) => right.seconds - left.seconds);
  return {
    kind: "generator",
    from: Math.min(...spans.map(({ from }) => from)),
    until: Math.max(...spans.map(({ until }) => until)) - 1,
    busy: most.slice(0, BUSY_MAX).map(({ of, seconds, percent }) => ({ of, seconds, percent })),
    droppedIterations: isDropping ? droppedIterations : 0,
    iterations: due - droppedIterations,
  };
}

const BUSY_MAX = 20;

type BusySpan = BusyGenerator & SecondRange;

async function readBusy(
  snapshot: Snapshot,
  series: readonly MeasureSeries[],
  range: SecondRange,
): Promise<readonly BusySpan[]> {
  const busy: BusySpan[] = [];
  const own = series.filter((each) => isCpu(each) || isIdle(each));
  for await (const {
    series: [cpu],
    sums,
  } of paced(snapshot.measures(own, range))) {
    if (cpu === undefined || sums.second.length === 0) continue;
    const values = Float64Array.from(sums.count, (count, row) => {
      const value = decimalOf(sums, row) / count;
      return isIdle(cpu) ? 100 - value : value;
    });
    const found = busyIn(values, sums.second);
    if (found !== undefined) busy.push({ ...found, of: nameOf(cpu) });
  }
  return busy;
}

/** In percent: of all cores together, or of a process that uses one. */
function isCpu({ kind, name, tags }: MeasureSeries): boolean {
  return (
    kind === "gauge" &&
    isOfGenerator(tags) &&
    (/(?:^|\.)cpu_percent$/.test(name) || (name === "cpu.usage_active" && isTotal(tags)))
  );
}

/** As Telegraf sends it by default. */
function isIdle({ kind, name, tags }: MeasureSeries): boolean {
  return kind === "gauge" && name === "cpu.usage_idle" && isOfGenerator(tags) && isTotal(tags);
}

export function isOfGenerator(tags: MeasureSeries["tags"]): boolean {
  return tags.some(([tag, value]) => tag === "role" && value === "generator");
}

/** Of Telegraf's series of single cores and of all together, the latter. */
export function isTotal(tags: MeasureSeries["tags"]): boolean {
  return tags.every(([tag, value]) => tag !== "cpu" || value === "cpu-total");
}

/** `host gen-1`, `host gen-1, process 7`. */
function nameOf({ tags }: MeasureSeries): string {
  const own = tags.filter(([tag]) => tag !== "role" && tag !== "cpu");
  return own.map(([tag, value]) => `${tag} ${value}`).join(", ");
}

function busyIn(values: Float64Array, second: Uint32Array): Omit<BusySpan, "of"> | undefined {
  const held = heldSeconds(second);
  let [seconds, most, from, until] = [0, 0, Infinity, 0];
  for (const [row, value] of values.entries()) {
    most = Math.max(most, value);
    if (value <= BUSY_PERCENT) continue;
    seconds += held[row] as number;
    from = Math.min(from, second[row] as number);
    until = (second[row] as number) + (held[row] as number);
  }
  const all = held.reduce((sum, each) => sum + each, 0);
  const least = Math.max(BUSY_SECONDS.min, Math.min(BUSY_SECONDS.max, all * BUSY_SHARE));
  if (seconds < least) return undefined;
  return { from, until, seconds, percent: Number(most.toPrecision(3)) };
}

function isCounter(wanted: string): (series: MeasureSeries) => boolean {
  return ({ kind, name }) => kind === "counter" && name === wanted;
}

/** `undefined` without such a measure. */
async function readCounter(
  snapshot: Snapshot,
  series: readonly MeasureSeries[],
  range: SecondRange,
): Promise<(SecondRange & { readonly sum: number }) | undefined> {
  if (series.length === 0) return undefined;
  let [sum, from, until] = [0, Infinity, 0];
  for await (const { sums } of paced(snapshot.measures(series, range))) {
    for (const [row, second] of sums.second.entries()) {
      sum += decimalOf(sums, row);
      from = Math.min(from, second);
      until = Math.max(until, second + 1);
    }
  }
  return { sum, from, until };
}
