import type { SummaryFigures } from "../../api/summary.ts";
import { possibleMicros } from "../../model/histogram.ts";
import type { SecondRange } from "../../model/second-range.ts";
import { hashOfLabel, ofHashes } from "../../series/endpoint-selection.ts";
import type { ComparedPart } from "../compare/compare-side.ts";
import type { LoadTestReader, SeriesOfWindows } from "../load-test-reader.ts";
import {
  figuresIn,
  isBeyond,
  type Judged,
  type JudgedWindow,
  type LabelsOf,
  type Limit,
  type LimitWindow,
  percentOfFigure,
} from "./limit.ts";

/** Windows one after the other that must break a limit: a bad second lies in one of them. */
const WINDOWS_IN_A_ROW = 2;

/** The hashes in one question. */
const LABELS_MAX = 1000;

/** Windows that are looked at, four months by second. */
const WINDOWS_MAX = 10_000_000;

interface WindowsQuery {
  readonly part: ComparedPart;
  /** Where windows may lie. */
  readonly range: SecondRange | undefined;
  readonly summary: SummaryFigures;
  readonly limits: readonly Limit[];
  readonly labelsOf: LabelsOf;
}

/** Reads what it takes to judge limits over windows. Throws what `LoadTestReader.windows` throws. */
export async function prepareWindows(
  reader: LoadTestReader,
  { part, range, summary, limits, labelsOf }: WindowsQuery,
): Promise<(limit: Limit) => Judged> {
  const span = range ?? spanOf(summary);
  const read = new Map<string, SeriesOfWindows>();
  const own = limits.filter(({ window }) => window !== undefined);
  for (const [seconds, alike] of Map.groupBy(own, ({ window }) => window?.seconds ?? 1)) {
    if (span === undefined) break;
    const percents = [...new Set(alike.flatMap(({ figure }) => percentOfFigure(figure) ?? []))];
    const query = { ...part, range: span, windowSeconds: seconds, percents };
    const labels = [...new Set(alike.flatMap(labelsOf))];
    if (labels.includes(undefined)) {
      for (const each of await reader.windows({ ...query, isMerged: true })) {
        read.set(keyOf(seconds, undefined), each);
      }
    }
    const hashes = labels.flatMap((label) => (label === undefined ? [] : [hashOfLabel(label)]));
    for (let from = 0; from < hashes.length; from += LABELS_MAX) {
      const selection = ofHashes(part.selection, hashes.slice(from, from + LABELS_MAX));
      for (const each of await reader.windows({ ...query, selection, isMerged: false })) {
        read.set(keyOf(seconds, each.label), each);
      }
    }
  }
  return (limit) => {
    const { window, label } = limit;
    const figures = figuresIn(summary, limit);
    if (window === undefined || figures === undefined || figures.count === 0) {
      return { limit, outcome: "unmeasured" };
    }
    const series = read.get(keyOf(window.seconds, label));
    return span === undefined
      ? { limit, outcome: "notEvaluated" }
      : judge(limit, window, { series, span });
  };
}

function keyOf(seconds: number, label: string | undefined): string {
  return JSON.stringify([seconds, label]);
}

/** From the first to the last request of the run; `undefined` without known times. */
function spanOf({ overall, endpoints }: SummaryFigures): SecondRange | undefined {
  let [from, until] = [overall.from ?? Infinity, overall.until ?? 0];
  for (const each of endpoints) {
    from = Math.min(from, each.from ?? Infinity);
    until = Math.max(until, each.until ?? 0);
  }
  return until === 0 ? undefined : { from, until: until + 1 };
}

interface Windows {
  /** `undefined`: none holds a request. */
  readonly series: SeriesOfWindows | undefined;
  readonly span: SecondRange;
}

const NO_WINDOWS: SeriesOfWindows = {
  labels: [],
  count: [],
  errCount: [],
  avgLoadTime: [],
  percentiles: {},
  percentileOrigin: "unknown",
};

function judge(limit: Limit, window: LimitWindow, windows: Windows): Judged {
  const { seconds } = window;
  const from = windows.span.from + window.afterSeconds;
  const starts = windows.span.until - seconds - from + 1;
  if (starts > WINDOWS_MAX) return { limit, outcome: "notEvaluated" };
  /** Windows in a row, up to the one that begins at each second, that break the limit. */
  const inARow = new Uint8Array(Math.max(0, starts));
  let closest: Measured | undefined;
  let isUnknown = false;
  for (const found of measuredWindows(limit, window, { ...windows, from, starts })) {
    const { measured } = found;
    isUnknown ||= measured === null;
    if (!isKnown(found)) continue;
    const offset = found.window.from - from;
    if (breaks(limit, found.measured, windows.series)) {
      const count = 1 + (inARow[offset - seconds] ?? 0);
      inARow[offset] = Math.min(count, WINDOWS_IN_A_ROW);
      if (count >= WINDOWS_IN_A_ROW) return { limit, outcome: "broken", ...found };
    }
    if (closest === undefined || isCloser(limit, found.measured, closest.measured)) closest = found;
  }
  const outcome = closest === undefined || isUnknown ? "notEvaluated" : "kept";
  return { limit, outcome, ...closest };
}

interface Measured {
  readonly measured: number;
  readonly window: JudgedWindow;
}

/** Null if it is unknown. */
type MaybeMeasured = Omit<Measured, "measured"> & { readonly measured: number | null };

function isKnown(found: MaybeMeasured): found is Measured {
  return found.measured !== null;
}

/** Yields the windows that are judged. */
function* measuredWindows(
  limit: Limit,
  { seconds, requestsMin = 0 }: LimitWindow,
  { series = NO_WINDOWS, from, starts }: Windows & { from: number; starts: number },
): Generator<MaybeMeasured> {
  let at = 0;
  for (let begin = from; begin < from + starts; begin++) {
    while ((series.labels[at] ?? Infinity) < begin) at += 1;
    const isListed = series.labels[at] === begin;
    if (!isListed && series.leftOut !== undefined) continue;
    const counts = isListed ? countsAt(series, at) : NO_REQUESTS;
    const measured =
      counts.requests < requestsMin
        ? undefined
        : measuredIn(limit, { ...counts, seconds }, () => timeAt(limit, series, at));
    if (measured === undefined) continue;
    yield { measured, window: { from: begin, until: begin + seconds, ...counts } };
  }
}

const NO_REQUESTS = { requests: 0, failedRequests: 0 };

function countsAt({ count, errCount }: SeriesOfWindows, at: number): typeof NO_REQUESTS {
  return { requests: count[at] ?? 0, failedRequests: errCount[at] ?? 0 };
}

interface WindowCounts {
  readonly requests: number;
  readonly failedRequests: number;
  readonly seconds: number;
}

/** Null if unknown; `undefined` if it has none without a request. */
function measuredIn(
  { figure, unit }: Limit,
  { requests, failedRequests, seconds }: WindowCounts,
  time: () => number | null,
): number | null | undefined {
  if (figure === "requests") return requests;
  if (figure === "throughput") return requests / seconds;
  if (requests === 0) return undefined;
  if (figure === "errors") return unit === "count" ? failedRequests : failedRequests / requests;
  return time();
}

function timeAt({ figure }: Limit, series: SeriesOfWindows, at: number): number | null {
  return (figure === "avg" ? series.avgLoadTime[at] : series.percentiles[figure]?.[at]) ?? null;
}

/** Percentiles may be any value of their bucket. */
function breaks(
  limit: Limit,
  measured: number,
  { percentileOrigin }: SeriesOfWindows = NO_WINDOWS,
): boolean {
  if (percentOfFigure(limit.figure) === undefined || percentileOrigin !== "computed") {
    return isBeyond(measured, limit);
  }
  const { least, most } = possibleMicros(Math.round(measured * MICROS_PER_SECOND));
  return [least, most].every((micros) => isBeyond(micros / MICROS_PER_SECOND, limit));
}

const MICROS_PER_SECOND = 1_000_000;

function isCloser({ comparison, bound }: Limit, measured: number, known: number): boolean {
  if (comparison === "==") return Math.abs(measured - bound) < Math.abs(known - bound);
  return comparison.startsWith(">") ? measured > known : measured < known;
}
