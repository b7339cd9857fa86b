import type { CapacityJson } from "../../api/findings.ts";
import type { SourceJson } from "../../api/load-tests.ts";
import { Mutex } from "../../concurrency/mutex.ts";
import { paced } from "../../concurrency/yielder.ts";
import { type FailureCounts, type FailureTable, mergeFailures } from "../../model/failures.ts";
import { type Attributes, attributesOf } from "../../model/load-test/attributes.ts";
import { downsampleMeasures } from "../../model/measures/downsample-measures.ts";
import { ENVIRONMENT_FORMAT } from "../../model/measures/environment.ts";
import type { LoadTestEvent } from "../../model/measures/load-test-events.ts";
import {
  type MeasureSeries,
  type MeasureTable,
  NO_MEASURES,
} from "../../model/measures/measure-table.ts";
import { mergeMeasures } from "../../model/measures/merge-measures.ts";
import type { RowQuality } from "../../model/quality/row-quality.ts";
import {
  NO_PERCENTILES,
  type ReportedRow,
  renumberReported,
  rowsOf,
} from "../../model/reported-percentiles.ts";
import {
  dividedEntries,
  type SampleEntry,
  spansOfSamples,
} from "../../model/samples/child-spans.ts";
import { chooseSamples } from "../../model/samples/sample-choice.ts";
import { ALL_SECONDS, type SecondRange, withoutSecondZero } from "../../model/columns.ts";
import type { SourceQuality, Unrecorded } from "../../model/source-quality.ts";
import { windowOf } from "../../query/coarse-points.ts";
import { hasRequests, readSources } from "../../query/source-facts.ts";
import { type UserPoint, readUsers } from "../../query/read-users.ts";
import { sourcesJson } from "../../render/load-test-json.ts";
import type { ReportContents } from "../../render/report-bytes.ts";
import {
  type EndpointSelection,
  type SelectedPart,
  isEverything,
} from "../../series/endpoint-selection.ts";
import { sameMoment, withSnapshot } from "../../series/open-snapshot.ts";
import { listSelected } from "../../series/selected-series.ts";
import type { Snapshot } from "../../store/snapshot.ts";
import type { Store } from "../../store/store.ts";
import { readCapacity } from "../capacity/read-capacity.ts";
import { type Findings, readFindings } from "../findings/read-findings.ts";
import {
  GRAINS,
  type GatherLimits,
  type GatheredSeries,
  type Span,
  WINDOWS_MIN,
  gatherSeries,
} from "./gather-points.ts";

interface RecordedSources {
  readonly sources: readonly {
    readonly sourceId: string;
    readonly format: string | undefined;
    readonly name?: string | undefined;
    readonly quality?: SourceQuality | undefined;
    readonly unrecorded?: readonly Unrecorded[] | undefined;
    readonly rows?: RowQuality | undefined;
  }[];
  readonly reported: readonly ReportedRow[];
}

export interface ReportAbout extends Attributes {
  readonly id: string;
  readonly secondsPerPoint: number;
  readonly events?: readonly LoadTestEvent[];
  readonly formats: readonly string[];
  readonly sources: readonly SourceJson[];
  /** Quality, and the percentiles that the load tool reported. */
  readonly recorded: RecordedSources;
  readonly selection: EndpointSelection;
  readonly range: SecondRange | undefined;
  /** First and last UNIX second with a request, inclusive; absent without timestamps. */
  readonly from?: number;
  readonly until?: number;
  /** Windows begin at multiples of it. */
  readonly grainSeconds: number;
  readonly measures: MeasuresAbout;
  readonly findings: Findings;
  /** Present if windows are longer than a second: computed from these, it would differ from that of the service. */
  readonly capacity?: CapacityJson;
  /** Requests kept whole, and spans of them; absent unless asked for. */
  readonly samples?: readonly SampleEntry[];
}

/** Of the texts of requests in a report. */
const SAMPLE_BYTES_MAX = 1_000_000;

export interface ReportQuery extends SelectedPart {
  /** Whether requests kept whole are. @default false */
  readonly hasSamples?: boolean;
}

/** Series of measures, the grain of their windows, and how many series were left out to keep the report small. */
interface MeasuresAbout {
  readonly series: number;
  readonly grainSeconds: number;
  readonly leftOut: number;
}

export type ReportReading = ReportContents<ReportAbout>;

/** Endpoints whose report takes some 50 MB. */
const MANY_ENDPOINTS = 10_000;

/** Reports of very many endpoints are read one at a time: a server of 512 MB has room for one. */
const ofMany = new Mutex();

/**
 * Reads all selected endpoints at the finest grain that keeps a report small. Throws `unknown-load-test`, `too-
 * many-endpoints`, `sum-too-large`, `damaged-store`.
 */
export async function readReport(
  { loadTests, points }: Pick<Store, "loadTests" | "points">,
  query: ReportQuery,
  limits?: GatherLimits,
): Promise<ReportReading> {
  const { loadTestId, selection, hasSamples = false } = query;
  return withSnapshot(points, query, async (snapshot) => {
    const range = query.range === undefined ? ALL_SECONDS : withoutSecondZero(query.range);
    const scope = { snapshot, range };
    const endpoints = await listSelected(snapshot, { selection, doing: "report" });
    const read = () => gatherSeries(snapshot.read(endpoints, range, "distribution"), limits);
    const isLarge = endpoints.length > MANY_ENDPOINTS;
    const { grainSeconds, series, span } = await (isLarge ? ofMany.run(read) : read());
    const failures = await readFailureTable(scope, series, grainSeconds);
    const { table: measures, ...gathered } = await gatherMeasures(snapshot, {
      range,
      series,
      span,
      grainSeconds,
    });
    const users = await readUsers(sameMoment(snapshot), { loadTestId, range });
    const { id, secondsPerPoint, events } = snapshot.loadTest;
    const sources = await points.sources(loadTestId);
    const formats = (await loadTests.find(loadTestId))?.formats ?? [];
    return {
      about: {
        id,
        ...attributesOf(snapshot.loadTest),
        secondsPerPoint,
        ...(events && { events }),
        formats: formats.filter((format) => format !== ENVIRONMENT_FORMAT),
        sources: sourcesJson(sources),
        recorded: await readRecorded(snapshot, query, series),
        selection,
        range: query.range,
        ...span,
        grainSeconds,
        measures: { series: measures.series.length, ...gathered },
        findings: await readFindings(sameMoment(snapshot), query),
        ...(grainSeconds > 1 && { capacity: await readCapacity(sameMoment(snapshot), query) }),
        ...(hasSamples && { samples: await samplesOf(scope, series) }),
      },
      endpoints: series,
      failures,
      users: mostUsers(users, grainSeconds),
      measures,
    };
  });
}

/** Labels are those that the report has. */
async function samplesOf(
  { snapshot, range }: Scope,
  series: readonly GatheredSeries[],
): Promise<readonly SampleEntry[]> {
  const names = new Map(
    series.map(({ endpoint: { label, splitSeries = label } }) => [label, splitSeries]),
  );
  const { samples, spans } = dividedEntries(await snapshot.samples());
  const selected = samples.flatMap((sample) => {
    const label = names.get(sample.label);
    const second = Math.floor(sample.timeMs / 1000);
    const isWithin = second >= range.from && second < range.until;
    return label === undefined || !isWithin ? [] : [{ ...sample, label }];
  });
  const chosen = chooseSamples(selected, SAMPLE_BYTES_MAX);
  return [...chosen, ...spansOfSamples(spans, chosen)];
}

/** Numbers percentiles by place in the report, and drops those of more requests than the report covers. */
async function readRecorded(
  snapshot: Snapshot,
  { selection, range }: SelectedPart,
  series: readonly GatheredSeries[],
): Promise<RecordedSources> {
  const sources = await readSources(snapshot);
  const [only, another] = sources.filter(hasRequests);
  const places = new Map(series.map(({ endpoint }, place) => [endpoint.number, place]));
  const reported =
    only === undefined || another !== undefined
      ? NO_PERCENTILES
      : renumberReported(await snapshot.reported(only.sourceId), (number) => places.get(number));
  return {
    sources: sources.map(({ sourceId, published, format, unrecorded, quality }) => ({
      sourceId,
      format,
      name: published?.name,
      quality: published?.quality,
      unrecorded,
      rows: quality,
    })),
    reported: rowsOf(reported).filter(
      ({ endpoint, windowSeconds }) =>
        (range === undefined || windowSeconds > 0) && (isEverything(selection) || endpoint > 0),
    ),
  };
}

interface Scope {
  readonly snapshot: Snapshot;
  readonly range: SecondRange;
}

/** By place in `series`. */
async function readFailureTable(
  { snapshot, range }: Scope,
  series: readonly GatheredSeries[],
  grainSeconds: number,
): Promise<FailureTable> {
  const parts: FailureTable[] = [];
  const endpoints = series.map(({ endpoint }) => endpoint);
  for await (const { kinds, ...counts } of paced(snapshot.failures(endpoints, range))) {
    const endpoint = new Uint32Array(counts.kind.length).fill(parts.length);
    parts.push({ kinds, counts: coarseFailures({ ...counts, endpoint }, grainSeconds) });
  }
  return mergeFailures(parts);
}

/** Merges rows within windows. The last second of each kind stays a row of its own: first and last are shown. */
function coarseFailures(counts: FailureCounts, grainSeconds: number): FailureCounts {
  if (grainSeconds === 1) return counts;
  const { kind, second } = counts;
  const standIns = new Uint32Array(second.length);
  let first = 0;
  for (let row = 0; row < second.length; row++) {
    const [at, begin] = [second[row] as number, second[first] as number];
    const isWithin = windowOf(at, grainSeconds) === windowOf(begin, grainSeconds);
    if (!isWithin || kind[row] !== kind[first]) first = row;
    const isLast = kind[row + 1] !== kind[row];
    standIns[row] = isLast ? at : (second[first] as number);
  }
  return { ...counts, second: standIns };
}

function mostUsers(points: readonly UserPoint[], grainSeconds: number): ReportReading["users"] {
  if (grainSeconds === 1) return points.map(({ second, users }) => [second, users]);
  const most = new Map<number, number>();
  const windows = Map.groupBy(points, ({ second }) => windowOf(second, grainSeconds));
  let held = 0;
  for (const [window, changes] of windows) {
    const first = changes[0]?.second ?? window;
    const begin = most.size === 0 ? first : window;
    const before = first > begin ? held : 0;
    most.set(begin, Math.max(before, ...changes.map(({ users }) => users)));
    held = changes.at(-1)?.users ?? 0;
    most.set(window - (window % grainSeconds) + grainSeconds, held);
  }
  return [...most];
}

interface GatheredMeasures {
  /** Labels are places in the report. */
  readonly table: MeasureTable;
  /** Windows begin at multiples of it. */
  readonly grainSeconds: number;
  /** Series that would make the report too large. */
  readonly leftOut: number;
}

interface MeasuresRequest {
  readonly range: SecondRange;
  readonly series: readonly GatheredSeries[];
  readonly span: Span;
  /** That of the points, the finest one for measures. */
  readonly grainSeconds: number;
}

/** Compressed, approximately. */
const BYTES_MAX = 500_000;

/** Compressed bytes of rows and of a histogram entry. */
const BYTES = { sums: 2.2, gauges: 10, histograms: 8, entries: 1.1 };

/**
 * Reads the measures of the load test and of the endpoints of a report, at the finest grain that keeps them small. If the
 * coarsest one does not, series of the endpoints with the fewest requests are left out. Throws `damaged-store`, `sum-too-large`.
 */
export async function gatherMeasures(
  snapshot: Snapshot,
  { range, series, span, ...request }: MeasuresRequest,
  bytesMax = BYTES_MAX,
): Promise<GatheredMeasures> {
  const places = new Map(series.map(({ endpoint }, place) => [endpoint.number, place]));
  const requests = series.map(({ points }) => points.requests.reduce((sum, own) => sum + own, 0));
  const rankOf = ({ label }: MeasureSeries): number =>
    label === undefined ? Infinity : (requests[places.get(label) as number] as number);
  const index = await snapshot.measureIndex();
  const wanted = index.series
    .filter(({ label }) => label === undefined || places.has(label))
    .toSorted((left, right) => Math.sign(rankOf(right) - rankOf(left)) || 0);
  const seconds = (span.until ?? 0) + 1 - (span.from ?? 0);
  let tables: MeasureTable[] = [];
  let { grainSeconds } = request;
  let [bytes, leftOut] = [0, 0];
  for await (const table of paced(snapshot.measures(wanted, range))) {
    if (table.sums.second.length === 0) continue;
    const own = coarse(table, grainSeconds);
    tables.push(own);
    bytes += bytesOf(own);
    while (bytes > bytesMax) {
      const coarser = GRAINS.find((grain) => grain > grainSeconds);
      if (coarser === undefined || seconds / coarser < WINDOWS_MIN) break;
      grainSeconds = coarser;
      tables = tables.map((each) => coarse(each, coarser));
      bytes = tables.reduce((sum, each) => sum + bytesOf(each), 0);
    }
    if (bytes > bytesMax) {
      bytes -= bytesOf(tables.pop() ?? NO_MEASURES);
      leftOut += 1;
    }
  }
  const placed = tables.map((table) => ({
    ...table,
    series: table.series.map((each) =>
      each.label === undefined ? each : { ...each, label: places.get(each.label) },
    ),
  }));
  return {
    table: mergeMeasures([...placed, { ...NO_MEASURES, unstored: index.unstored }]),
    grainSeconds,
    leftOut,
  };
}

function coarse(table: MeasureTable, windowSeconds: number): MeasureTable {
  if (windowSeconds === 1) return table;
  return downsampleMeasures(table, { windowSeconds, firstSecond: 0 });
}

function bytesOf({ sums, gauges, histograms }: MeasureTable): number {
  return (
    sums.second.length * BYTES.sums +
    gauges.second.length * BYTES.gauges +
    histograms.minute.length * BYTES.histograms +
    histograms.bucket.length * BYTES.entries
  );
}
