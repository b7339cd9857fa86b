/** Data-quality notes of the sources of a load test, and the percentiles that their load tools reported. */

import type { Figures, UnreadRows } from "../api/summary.ts";
import {
  type FormatQuality,
  formatQuality,
  LINE_MEASURES,
  REJECTED_LINES,
} from "../decode/format-quality.ts";
import { CHILD_SPANS } from "../model/samples/child-spans.ts";
import { ENVIRONMENT_FORMAT } from "../model/measures/environment.ts";
import { ALL_SECONDS, type SecondRange, UNKNOWN_SECOND, sumOf } from "../model/columns.ts";
import {
  columnsOf,
  millionths,
  type ReportedPercentiles,
  type ReportedRow,
  rowsOf,
} from "../model/reported-percentiles.ts";
import { type Measurement, otherFacetsText } from "../model/quality/row-quality.ts";
import { REPAIR_TEXTS, REPAIRS } from "../model/quality/repairs.ts";
import { shortNames } from "../model/kept-file.ts";
import type { Extent, SourceQuality, Unrecorded } from "../model/source-quality.ts";
import { QUALITY_CODES, type QualityRemark } from "../api/parts.ts";
import { type EndpointSelection, isEverything } from "../series/endpoint-selection.ts";
import type { ReportedRun } from "./figures.ts";
import type { Snapshot, VisibleSource } from "../store/snapshot.ts";

type QualityCode = (typeof QUALITY_CODES)[number];

type Concern =
  | "times"
  | "reported"
  | "unmerged"
  | "windows"
  | "sizes"
  | "failures"
  | "users"
  | "measures";

/** Subject of each note; a code without one affects all statistics. */
const CONCERNS: Readonly<Partial<Record<QualityCode, Concern>>> = {
  "untimed-requests": "times",
  "no-distribution": "times",
  windows: "windows",
  "sizes-not-recorded": "sizes",
  "failure-reasons-not-recorded": "failures",
  "users-not-recorded": "users",
  "values-rejected": "measures",
  "percentiles-reported": "reported",
  "percentiles-not-merged": "unmerged",
};

export interface SourceFacts {
  /** Data-quality notes, ordered like `QUALITY_CODES`. */
  readonly remarks: readonly QualityRemark[];
  /** Of all seconds; requests at an unknown second may be in the range, so they count as rejected in it. */
  readonly unread: UnreadRows;
  readonly hasSizes: boolean;
  /** First and last second of the run; `undefined` unless all sources say it. */
  readonly extent: Extent | undefined;
  /** Percentiles computed by a load tool; `undefined` without any, or if several sources have the requests. */
  readonly reported: ReportedPercentiles | undefined;
}

/** Formats that say nothing about requests. */
const WITHOUT_REQUESTS: ReadonlySet<string> = new Set([
  REJECTED_LINES,
  "otlp-metrics",
  CHILD_SPANS,
  LINE_MEASURES,
  "prometheus",
  ENVIRONMENT_FORMAT,
]);

export function hasRequests({ format }: Pick<VisibleSource, "format">): boolean {
  return !WITHOUT_REQUESTS.has(format ?? "");
}

/** Notes that also concern sources without requests. */
const OF_ALL_SOURCES: ReadonlySet<QualityCode> = new Set(["rows-rejected", "values-rejected"]);

/** Reads these facts of a snapshot's sources, for statistics of a range. Throws `damaged-store`. */
export async function readSourceFacts(
  snapshot: Snapshot,
  range: SecondRange = ALL_SECONDS,
): Promise<SourceFacts> {
  const visible = await readSources(snapshot);
  const sources = visible.filter(hasRequests);
  const others = visible
    .filter((source) => !hasRequests(source))
    .map((source) => ({ source, quality: qualityOf(source) }));
  const { secondsPerPoint } = snapshot.loadTest;
  const known = sources.map((source) => {
    const quality = qualityOf(source);
    const windowSeconds = Math.max(quality.windowSeconds ?? 1, secondsPerPoint);
    return { source, quality: { ...quality, windowSeconds } };
  });
  const [only, another] = sources;
  const reported =
    only === undefined || another !== undefined
      ? undefined
      : await snapshot.reported(only.sourceId);
  const hasReported = reported !== undefined && reported.second.length > 0;
  const all = [...known, ...others];
  const lines = others.filter(({ source }) => source.format === REJECTED_LINES);
  const undated = range.from === 0 ? 0 : await countUndated(snapshot);
  return {
    remarks: QUALITY_CODES.flatMap((code) =>
      REMARKS[code](OF_ALL_SOURCES.has(code) ? all : known, {
        hasReported,
        undated,
      }).map((message) => ({ code, message })),
    ),
    unread: {
      rejectedRows: undated + total([...known, ...lines], ({ rejectedRows }) => rejectedRows),
      untimedRows: total(known, ({ repairedRows }) => repairedRows?.["time-unknown"]),
      repeatedRows: total(known, ({ repairedRows }) => repairedRows?.["repeats-unknown"]),
      discrepancies: known.flatMap(({ quality }) => quality.discrepancies ?? []),
      values: all.flatMap(({ quality }) => quality.unreadValues ?? []),
      isTruncated: known.some(({ quality }) => quality.truncatedAtByte !== undefined),
    },
    extent: extentOf(known.map(({ quality }) => quality.extent)),
    hasSizes: known.every(
      ({ quality }) =>
        !lacks(quality, "sizes") && quality.repairedRows?.["size-unknown"] === undefined,
    ),
    reported: hasReported ? ofShown(reported, known) : undefined,
  };
}

/** The sources of a snapshot, named without their folders. */
export async function readSources(snapshot: Snapshot): Promise<readonly VisibleSource[]> {
  const sources = await snapshot.sources();
  const names = shortNames(sources.map(({ published }) => published?.name ?? ""));
  return sources.map(({ published, ...source }, at) => {
    return {
      ...source,
      published: published && { ...published, name: names[at] ?? published.name },
    };
  });
}

/** What a tool reported of all requests includes those that are hidden on demand. */
function ofShown(
  reported: ReportedPercentiles,
  known: readonly KnownSource[],
): ReportedPercentiles {
  const isHidden = known.some(({ quality }) => quality.ignored ?? quality.measurements);
  return isHidden ? columnsOf(rowsOf(reported).filter(({ endpoint }) => endpoint > 0)) : reported;
}

/** Requests whose second is unknown. */
async function countUndated(snapshot: Snapshot): Promise<number> {
  const index = await snapshot.index();
  let requests = 0;
  for await (const points of index.scan(index.numbers, UNKNOWN_SECOND, "sums")) {
    requests += sumOf(points.requests);
  }
  return requests;
}

/** From the first to the last of all; `undefined` unless all are known. */
export function extentOf(all: readonly (Extent | undefined)[]): Extent | undefined {
  const known = all.filter((each) => each !== undefined);
  if (known.length === 0 || known.length < all.length) return undefined;
  return {
    from: Math.min(...known.map(({ from }) => from)),
    until: Math.max(...known.map(({ until }) => until)),
  };
}

/** Returns the notes about these subjects, and those about all statistics. */
export function remarksOn(
  remarks: readonly QualityRemark[],
  concerns: readonly Concern[],
): readonly QualityRemark[] {
  return remarks.filter(({ code }) => {
    const concern = CONCERNS[code];
    return concern === undefined || concerns.includes(concern);
  });
}

/** Adds what the requests show, for sources without stored quality. */
export function withMeasured(
  remarks: readonly QualityRemark[],
  {
    untimedCount,
    count,
    percentileOrigin,
  }: Pick<Figures, "untimedCount" | "count" | "percentileOrigin">,
): readonly QualityRemark[] {
  const added: QualityRemark[] = [];
  const isNew = (code: QualityCode) => remarks.every((remark) => remark.code !== code);
  if (untimedCount > 0 && isNew("untimed-requests")) {
    added.push({ code: "untimed-requests", message: untimedRemark(untimedCount) });
  }
  if (count > untimedCount && percentileOrigin !== "computed" && isNew("no-distribution")) {
    added.push({ code: "no-distribution", message: averagedRemark("some requests") });
  }
  return [...remarks, ...added].toSorted(
    (left, right) => QUALITY_CODES.indexOf(left.code) - QUALITY_CODES.indexOf(right.code),
  );
}

function untimedRemark(count: number): string {
  return `${counted(count, "request")} without a response time: averages leave them out, percentiles rank them last`;
}

function averagedRemark(what: string): string {
  return `only averages were recorded of ${what}: their percentiles cannot be computed`;
}

type KnownQuality = Partial<SourceQuality> & FormatQuality;

interface KnownSource {
  readonly source: VisibleSource;
  readonly quality: KnownQuality;
}

/** The stored quality; for a source without one, that of its format and batches. */
function qualityOf({ published, format, unrecorded, quality }: VisibleSource): KnownQuality {
  const ofFormat = { ...formatQuality(format), ...(unrecorded && { unrecorded }) };
  return published?.quality ?? { ...ofFormat, ...quality };
}

function lacks({ unrecorded }: KnownQuality, what: Unrecorded): boolean {
  return unrecorded.includes(what);
}

interface StatisticsFacts {
  readonly hasReported: boolean;
  /** Requests at an unknown second, which the range leaves out. */
  readonly undated: number;
}

type Remark = (known: readonly KnownSource[], facts: StatisticsFacts) => readonly string[];

/** Notes by code; absent without a problem. */
const REMARKS: Readonly<Record<QualityCode, Remark>> = {
  "untimed-requests"(known) {
    const count = total(known, ({ untimedRequests }) => untimedRequests);
    return count === 0 ? [] : [untimedRemark(count)];
  },
  "no-distribution"(known) {
    const count = total(known, ({ averagedRequests }) => averagedRequests);
    if (count === 0 && !known.some(({ quality }) => quality.isAveraged)) return [];
    return [averagedRemark(count === 0 ? "requests" : counted(count, "request"))];
  },
  windows(known) {
    const seconds = Math.max(1, ...known.map(({ quality }) => quality.windowSeconds ?? 1));
    return seconds === 1 ? [] : [`requests are recorded in windows of up to ${seconds} s`];
  },
  "sizes-not-recorded": (known) =>
    unrecordedRemark(known, "sizes", "response sizes are not recorded"),
  "failure-reasons-not-recorded": (known) =>
    unrecordedRemark(known, "failure-reasons", "the reasons of failures are not recorded"),
  "users-not-recorded": (known) =>
    unrecordedRemark(known, "users", "active users are not recorded"),
  "tool-sends-less": (known) => remarksByFormat(known, SENT_LESS),
  truncated: (known) =>
    known.flatMap(({ source, quality: { truncatedAtByte } }) =>
      truncatedAtByte === undefined
        ? []
        : [`${nameOf(source)} ends early, at byte ${truncatedAtByte}`],
    ),
  "rows-rejected": (known) =>
    known.flatMap(({ source, quality: { rejectedRows = 0 } }) =>
      rejectedRows === 0
        ? []
        : [`${counted(rejectedRows, "row")} of ${nameOf(source)} could not be read`],
    ),
  "rows-repaired": (known) =>
    known.flatMap(({ source, quality: { repairedRows = {} } }) =>
      REPAIRS.flatMap((kind) => {
        const rows = repairedRows[kind] ?? 0;
        return rows === 0
          ? []
          : [`${counted(rows, "row")} of ${nameOf(source)} ${REPAIR_TEXTS[kind]}`];
      }),
    ),
  "values-rejected": (known) =>
    known.flatMap(({ source, quality: { unreadValues = [] } }) =>
      unreadValues.length === 0
        ? []
        : [
            `values of ${nameOf(source)} that could not be read or stored: ${listed(unreadValues, "value")}`,
          ],
    ),
  "times-unknown": (_, { undated }) =>
    undated === 0
      ? []
      : [`${counted(undated, "request")} without a known time: time ranges leave them out`],
  "totals-differ": (known) =>
    known.flatMap(({ source, quality: { discrepancies = [] } }) =>
      discrepancies.map(({ figure, reported, counted: found }) => {
        const what = figure === "requests" ? "requests" : "failed requests";
        return (
          `${nameOf(source)} reports ${reported.toLocaleString("en-US")} ${what}, but ` +
          `${found.toLocaleString("en-US")} were counted in it`
        );
      }),
    ),
  "stored-as-measures": (known) =>
    known.flatMap(({ source, quality: { measurements = [] } }) =>
      measurements.length === 0
        ? []
        : [`not requests of ${nameOf(source)}, but measures: ${listed(measurements, "value")}`],
    ),
  "labels-ignored": (known) =>
    known.flatMap(({ source, quality: { ignored = [] } }) =>
      ignored.length === 0
        ? []
        : [`left out of ${nameOf(source)} on demand: ${listed(ignored, "request")}`],
    ),
  "facets-limited": (known) =>
    known.flatMap(({ source, quality: { otherFacets } }) =>
      otherFacets === undefined
        ? []
        : [
            `in ${nameOf(source)}, ${otherFacetsText(otherFacets)}: ${listed(otherFacets, "request")}`,
          ],
    ),
  "percentiles-reported": (_, { hasReported }) =>
    hasReported ? ["percentiles, where any are shown, are those that the load tool reported"] : [],
  "percentiles-not-merged"(known) {
    const isAveraged = known.some(({ quality }) => (quality.averagedRequests ?? 0) > 0);
    if (known.length < 2 || !isAveraged) return [];
    return [
      "percentiles that load tools reported are not shown, since those of several sources cannot be merged",
    ];
  },
  telemetry: (known) => remarksByFormat(known, TELEMETRY),
  // Of two runs: see `compareLoadTests`.
  "lengths-differ": () => [],
  // See `readOmission`.
  "requests-omitted": () => [],
};

function remarksByFormat(
  known: readonly KnownSource[],
  remarks: Readonly<Record<string, string>>,
): readonly string[] {
  const formats = new Set(known.map(({ source }) => source.format ?? ""));
  return [...formats].flatMap((format) => remarks[format] ?? []);
}

/** What the files of a tool have, and not what it sends, by format. */
const SENT_LESS: Readonly<Record<string, string>> = {
  "jmeter-line-protocol":
    "JMeter sends sums per interval (5 s by default), so that what happened within one is unknown, " +
    "without sub-results, latency and connect time, and does not mark transactions",
  "jmeter-raw-line-protocol":
    "JMeter does not send sub-results, sent bytes or idle time, and does not mark transactions",
  "k6-prometheus":
    "k6 sends figures of its requests to Prometheus, such as their p99, and not the requests, which are therefore unknown " +
    "(K6_PROMETHEUS_RW_TREND_AS_NATIVE_HISTOGRAM=true sends their number, failures and average)",
};

/** Which description of requests is shown, by format: OpenTelemetry may send several of the same ones. */
const TELEMETRY: Readonly<Record<string, string>> = {
  "otlp-spans":
    "requests are the load tool's spans, with their names and times: all, if it samples none; " +
    "what the script found wrong with a response is not in them; Artillery's report has other " +
    "labels, times to the first byte, and distributions that arrive here as gauges",
  "otlp-tool-histogram": `${histogramRemark("the load tool")}; Locust's names have no method: GET and POST of one are one endpoint`,
  "otlp-client-histogram": histogramRemark("the load tool's HTTP client"),
};

function histogramRemark(owner: string): string {
  return (
    `requests are a histogram of ${owner}, summed up between two exports; percentiles and extremes are within 2 %, ` +
    "or unknown where its buckets are wider"
  );
}

function total(
  known: readonly KnownSource[],
  pick: (quality: KnownQuality) => number | undefined,
): number {
  return known.reduce((sum, { quality }) => sum + (pick(quality) ?? 0), 0);
}

function unrecordedRemark(
  known: readonly KnownSource[],
  what: Unrecorded,
  sentence: string,
): readonly string[] {
  const without = known.filter(({ quality }) => lacks(quality, what));
  if (without.length === 0) return [];
  if (without.length === known.length) return [sentence];
  return [`${sentence} by ${without.map(({ source }) => nameOf(source)).join(", ")}`];
}

function nameOf({ sourceId, published }: VisibleSource): string {
  return JSON.stringify(published?.name ?? sourceId);
}

function listed(all: readonly Measurement[], noun: string): string {
  return all.map(({ name, values }) => `${name} (${counted(values, noun)})`).join(", ");
}

function counted(count: number, noun: string): string {
  return `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`;
}

/** The reported percentiles for a merged selection: of all requests, of the only endpoint, or none. */
export function reportedOf(
  facts: Pick<SourceFacts, "reported">,
  selection: EndpointSelection,
  numbers: Uint32Array,
): number | "all" | undefined {
  const isOfAll = facts.reported?.endpoint.includes(0) ?? false;
  if (isEverything(selection) && isOfAll) return "all";
  return numbers.length === 1 ? numbers[0] : undefined;
}

/** Percentiles reported for the complete run: of one endpoint by number, or of all requests. */
export function reportedRun(
  { reported }: Pick<SourceFacts, "reported">,
  endpoint: number | "all",
): ReportedRun | undefined {
  if (reported === undefined) return undefined;
  const wanted = endpoint === "all" ? 0 : endpoint + 1;
  const rows = rowsOf(reported).filter((row) => row.endpoint === wanted && row.windowSeconds === 0);
  return rows.length === 0
    ? undefined
    : new Map(rows.map(({ quantile, micros }) => [quantile, micros]));
}

/** Percentiles reported for windows: of one endpoint by number, or of all requests; by second. */
export function reportedWindows(
  { reported }: Pick<SourceFacts, "reported">,
  endpoint: number | "all",
  quantile: number,
): readonly ReportedRow[] {
  if (reported === undefined) return [];
  const [wanted, q] = [endpoint === "all" ? 0 : endpoint + 1, millionths(quantile)];
  return rowsOf(reported).filter(
    (row) => row.endpoint === wanted && row.windowSeconds > 0 && row.quantile === q,
  );
}
