import type { SummaryFigures } from "../../api/summary.ts";
import { Yielder } from "../../concurrency/yielder.ts";
import { possibleMicros } from "../../model/histogram.ts";
import { type SecondRange, chunksOf } from "../../model/columns.ts";
import { hashOfLabel, ofHashes } from "../../series/endpoint-selection.ts";
import type { ComparedPart } from "../compare/compare-side.ts";
import type { LoadTestReader, SeriesOfWindows } from "../load-test-reader.ts";
import {
  figuresIn,
  isBeyond,
  type Judged,
  type JudgedWindow,
  kindOf,
  type LabelsOf,
  type Limit,
  type LimitedFigure,
  type LimitWindow,
  percentOfFigure,
  rowSeconds,
  WINDOWS_IN_A_ROW,
} from "./limit.ts";
import { averageAtLeast, percentileAtLeast, unsentIn } from "../findings/omitted-times.ts";
import type { Omission } from "./omitted-requests.ts";
import { UnsentRequests } from "./unsent-requests.ts";

/** The hashes in one question, and the windows in its answer: some 30 MB. */
const LABELS_MAX = 1000;
const WINDOWS_READ_MAX = 500_000;

/** Most windows that are judged: four months, one a second. */
const WINDOWS_MAX = 10_000_000;

interface WindowsQuery {
  readonly part: ComparedPart;
  readonly range: SecondRange | undefined;
  /** Where windows lie; needed without a range. */
  readonly span?: SecondRange | undefined;
  /** Tells limits without a request from those that are not evaluated. @default endpoints without a request in `range` are not evaluated */
  readonly summary?: SummaryFigures;
  readonly limits: readonly Limit[];
  readonly labelsOf: LabelsOf;
  /** With `summary`. */
  readonly omission?: Omission;
}

/** Judges limits over windows, a few endpoints after the other. Yields to the event loop. Throws what `LoadTestReader.windows` throws. */
export async function prepareWindows(
  reader: Pick<LoadTestReader, "windows">,
  { part, range, span = range, summary, limits, labelsOf, omission }: WindowsQuery,
): Promise<(limit: Limit) => Judged> {
  const judged = new Map<string, Judged>();
  const own = limits.filter(({ window }) => window !== undefined);
  for (const [seconds, alike] of Map.groupBy(own, ({ window }) => window?.seconds ?? 1)) {
    if (span === undefined) break;
    const percents = [...new Set(alike.flatMap(({ figure }) => percentOfFigure(figure) ?? []))];
    const query = { ...part, range, windowSeconds: seconds, percents };
    const limitsOf = byLabel(alike, labelsOf);
    const judgeAll = async (all: readonly SeriesOfWindows[]): Promise<void> => {
      for (const series of all) {
        const figures = summary && figuresIn(summary, { label: series.label });
        const share = omission && figures && figures.count / omission.count;
        for (const limit of limitsOf.get(series.label) ?? []) {
          const isOfTime = kindOf(limit.figure).units.includes("seconds");
          const isAny = isOfTime && omission !== undefined && share !== undefined;
          const unsent = isAny ? new UnsentRequests(omission.stalls, share) : undefined;
          const windows = { series, span, isWhole: range === undefined, unsent };
          judged.set(keyOf(limit, series.label), await judgeWindows(limit, windows));
        }
      }
    };
    if (limitsOf.has(undefined)) await judgeAll(await reader.windows({ ...query, isMerged: true }));
    const hashes = [...limitsOf.keys()].flatMap((label) =>
      label === undefined ? [] : [hashOfLabel(label)],
    );
    const windows = Math.max(1, span.until - span.from);
    const most = Math.min(LABELS_MAX, Math.ceil(WINDOWS_READ_MAX / windows));
    for (const some of chunksOf(hashes, most)) {
      const selection = ofHashes(part.selection, some);
      await judgeAll(await reader.windows({ ...query, selection, isMerged: false }));
    }
    const silent = [...limitsOf].filter(
      ([label]) => summary && (figuresIn(summary, { label })?.count ?? 0) > 0,
    );
    for (const [label, those] of silent) {
      for (const limit of those) {
        const key = keyOf(limit, label);
        if (!judged.has(key))
          judged.set(key, await judgeWindows(limit, { series: NO_WINDOWS, span }));
      }
    }
  }
  return (limit) => {
    const count = summary && (figuresIn(summary, limit)?.count ?? 0);
    if (count === 0) return { limit, outcome: "unmeasured" };
    return { outcome: "notEvaluated", ...judged.get(keyOf(limit, limit.label)), limit };
  };
}

function byLabel(limits: readonly Limit[], labelsOf: LabelsOf): Map<string | undefined, Limit[]> {
  const limitsOf = new Map<string | undefined, Limit[]>();
  for (const limit of limits) {
    for (const label of labelsOf(limit)) {
      const those = limitsOf.get(label) ?? [];
      limitsOf.set(label, those);
      those.push(limit);
    }
  }
  return limitsOf;
}

/** Identifies the judgement of a limit: limits with the same key have the same outcome. */
function keyOf(
  { figure, unit, comparison, bound, window }: Limit,
  label: string | undefined,
): string {
  return JSON.stringify([label, figure, unit, comparison, bound, window]);
}

/** From the first to the last request of the run; `undefined` without known times. */
export function spanOf({
  overall,
  endpoints,
}: Pick<SummaryFigures, "overall" | "endpoints">): SecondRange | undefined {
  let [from, until] = [overall.from ?? Infinity, overall.until ?? 0];
  for (const each of endpoints) {
    from = Math.min(from, each.from ?? Infinity);
    until = Math.max(until, each.until ?? 0);
  }
  return until === 0 ? undefined : { from, until: until + 1 };
}

export interface Windows {
  readonly series: SeriesOfWindows;
  readonly span: SecondRange;
  /** Whether the span ends with the last request of the run. @default false */
  readonly isWhole?: boolean;
  /** First seconds of the windows to judge. @default all */
  readonly startsIn?: ((range: SecondRange, seconds: number) => Iterable<number>) | undefined;
  /** A limit on response times is not evaluated if it would break with them. */
  readonly unsent?: UnsentRequests | undefined;
}

const NO_WINDOWS: SeriesOfWindows = {
  labels: [],
  count: [],
  errCount: [],
  avgLoadTime: [],
  percentiles: {},
  percentileOrigin: "unknown",
};

/** `notEvaluated` also if points lie in no window, and if a window breaks the limit in a run that is too short for as many in a row as must. */
export async function judgeWindows(limit: Limit, { unsent, ...windows }: Windows): Promise<Judged> {
  const judged = await judgeCounted(limit, windows);
  const { outcome, measured, newest } = judged;
  if (outcome !== "kept" || measured === undefined || unsent === undefined) return judged;
  const least = await judgeCounted(limit, { ...windows, unsent });
  if (least.outcome !== "broken" || least.measured === undefined) return judged;
  const possible = [measured, least.measured] as const;
  const { window } = least;
  return { limit, outcome: "notEvaluated", possible, isOmitted: true, window, newest };
}

async function judgeCounted(limit: Limit, windows: Windows): Promise<Judged> {
  const { series, startsIn = allStarts, unsent } = windows;
  const window = limit.window as LimitWindow;
  const { seconds } = window;
  const { span, from, starts } = startsOf(limit, windows);
  if (starts > WINDOWS_MAX) return { limit, outcome: "notEvaluated" };
  const yielder = new Yielder();
  const isCut = cutWindows(series, { from, starts });
  const rows = new WindowRows(limit, from, starts);
  const started = { series, from, isCut, unsent };
  let isUnknown = missesPoints(series);
  for (const found of measuredWindows(limit, started, startsIn(span, seconds))) {
    if (yielder.isDue()) await yielder.next();
    if (found === undefined) continue;
    if (!isKnown(found)) isUnknown = true;
    else rows.add(found, breaks(limit, found.measured, series));
  }
  const { broken, closest, newest } = rows;
  if (broken !== undefined) return { limit, outcome: "broken", ...broken, newest };
  isUnknown ||=
    closest === undefined || (starts <= rowSeconds(window) - seconds && rows.doesAnyBreak);
  return { limit, outcome: isUnknown ? "notEvaluated" : "kept", ...closest, newest };
}

const COUNTED: readonly LimitedFigure[] = ["requests", "throughput", "sum", "count", "rate"];

/** The first second of the first window, and how many windows there are within the span. */
function startsOf(limit: Limit, windows: Windows) {
  const { span: run, isWhole = false } = windows;
  const { seconds, afterSeconds } = limit.window as LimitWindow;
  const cut = isOfFew(limit) ? 1 : 0;
  const span = cut === 1 ? run : withEnds(windows, seconds);
  const from = afterSeconds > cut ? run.from + afterSeconds : span.from + cut;
  const until = isWhole ? span.until - cut : span.until;
  return { span, from, starts: Math.max(0, until - seconds - from + 1) };
}

/** With the whole of the first and the last point: a point of several seconds may begin before the first request of the run, and end after its last. */
function withEnds({ series, span, isWhole = false }: Windows, seconds: number): SecondRange {
  const { labels, leftOut } = series;
  const [first, last] = [labels[0] ?? span.from, labels.at(-1) ?? 0];
  if (!isWhole || leftOut === undefined) return span;
  return { from: Math.min(span.from, first), until: Math.max(span.until, last + seconds) };
}

/** Whether few requests or values break it, as those of the incomplete first and last seconds of a run would. */
export function isOfFew({ figure, comparison }: Limit): boolean {
  return comparison.startsWith("<") && COUNTED.includes(figure);
}

/** What the windows of a limit say together, which are added by time. */
class WindowRows {
  /** First window that breaks the limit as the last of enough in a row. */
  broken: Measured | undefined;
  closest: Measured | undefined;
  newest: Judged["newest"];
  doesAnyBreak = false;
  readonly #limit: Limit;
  readonly #from: number;
  /** Windows in a row that must break it. */
  readonly #most: number;
  /** Windows in a row, at most `#most`, up to the one that begins at each second, that break the limit, or, negative, keep it. */
  readonly #inARow: Int8Array;

  constructor(limit: Limit, from: number, starts: number) {
    [this.#limit, this.#from, this.#inARow] = [limit, from, new Int8Array(starts)];
    this.#most = limit.window?.inARow ?? WINDOWS_IN_A_ROW;
  }

  add(found: Measured, doesBreak: boolean): void {
    const { from, until } = found.window;
    const offset = from - this.#from;
    const before = this.#inARow[offset - (until - from)] ?? 0;
    const row = doesBreak ? Math.max(before, 0) + 1 : Math.min(before, 0) - 1;
    this.#inARow[offset] = Math.max(-this.#most, Math.min(row, this.#most));
    const [isBroken, isKept] = [row >= this.#most, row <= -this.#most];
    const brokenSince = isBroken ? (this.newest?.brokenSince ?? until) : undefined;
    this.newest = { ...found, isBroken, isKept, brokenSince };
    if (isBroken) this.broken ??= found;
    this.doesAnyBreak ||= doesBreak;
    const { closest } = this;
    if (closest === undefined || isCloser(this.#limit, found.measured, closest.measured)) {
      this.closest = found;
    }
  }
}

export function* allStarts({ from, until }: SecondRange): Generator<number> {
  for (let begin = from; begin < until; begin++) yield begin;
}

function missesPoints({ leftOut }: SeriesOfWindows): boolean {
  return leftOut !== undefined && leftOut.points > 0;
}

function cutWindows(
  { leftOut }: SeriesOfWindows,
  { from, starts }: { readonly from: number; readonly starts: number },
): Uint8Array {
  const isCut = new Uint8Array(starts);
  for (const range of leftOut?.windows ?? []) {
    isCut.fill(1, Math.max(0, range.from - from), Math.max(0, range.until - from));
  }
  return isCut;
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

interface StartedWindows extends Pick<Windows, "series" | "unsent"> {
  /** The first second of the first window. */
  readonly from: number;
  readonly isCut: Uint8Array;
}

/** Yields the windows that are judged, and `undefined` for others. */
function* measuredWindows(
  limit: Limit,
  { series, from, isCut, unsent }: StartedWindows,
  starts: Iterable<number>,
): Generator<MaybeMeasured | undefined> {
  const { seconds, requestsMin = 0 } = limit.window as LimitWindow;
  let at = 0;
  for (const begin of starts) {
    if (begin < from || begin >= from + isCut.length) continue;
    if (isCut[begin - from] === 1) {
      yield undefined;
      continue;
    }
    while ((series.labels[at] ?? Infinity) < begin) at += 1;
    const counts = countsOf(series, begin, at);
    const due = unsent?.dueIn({ from: begin, until: begin + seconds }) ?? [];
    const isEnough = counts.requests + unsentIn(due) >= requestsMin;
    const measured = isEnough
      ? measuredIn(limit, { ...counts, seconds, due }, () => timeAt(limit, series, at))
      : undefined;
    yield measured === undefined
      ? undefined
      : { measured, window: { from: begin, until: begin + seconds, ...counts } };
  }
}

const NO_REQUESTS = { requests: 0, failedRequests: 0 };

function countsOf(
  { labels, count, errCount }: SeriesOfWindows,
  begin: number,
  at: number,
): typeof NO_REQUESTS {
  if (labels[at] !== begin) return NO_REQUESTS;
  return { requests: count[at] ?? 0, failedRequests: errCount[at] ?? 0 };
}

interface WindowCounts {
  readonly requests: number;
  readonly failedRequests: number;
  readonly seconds: number;
  readonly due: ReturnType<UnsentRequests["dueIn"]>;
}

/** Null if unknown; `undefined` if it has none without a request. */
function measuredIn(
  { figure, unit }: Limit,
  { requests, failedRequests, seconds, due }: WindowCounts,
  time: () => number | null,
): number | null | undefined {
  if (figure === "requests") return requests;
  if (figure === "throughput") return requests / seconds;
  if (due.length > 0)
    return timeWithDue(figure, due, { requests, seconds: requests === 0 ? 0 : time() });
  if (requests === 0) return undefined;
  if (figure === "errors") return unit === "count" ? failedRequests : failedRequests / requests;
  return time();
}

/** The least that a percentile or an average may be with requests that were not sent. */
function timeWithDue(
  figure: LimitedFigure,
  due: WindowCounts["due"],
  recorded: { readonly requests: number; readonly seconds: number | null },
): number | null {
  const { requests, seconds } = recorded;
  const percent = percentOfFigure(figure);
  if (seconds === null) return null;
  const least =
    percent === undefined
      ? averageAtLeast(due, { requests, seconds })
      : percentileAtLeast(percent, due, requests);
  return Math.max(seconds, least);
}

function timeAt({ figure }: Limit, series: SeriesOfWindows, at: number): number | null {
  return (figure === "avg" ? series.avgLoadTime[at] : series.percentiles[figure]?.[at]) ?? null;
}

/** Percentiles may be any value of their bucket. */
function breaks(limit: Limit, measured: number, { percentileOrigin }: SeriesOfWindows): boolean {
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
