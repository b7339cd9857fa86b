import type { SelectedPart } from "../../series/endpoint-selection.ts";
import type {
  Anomaly,
  BurstFinding,
  Incident,
  OmissionFinding,
  StepFinding,
} from "../../api/findings.ts";
import {
  ALL_SECONDS,
  endOfPoints,
  lowerBound,
  type SecondRange,
  sumOf,
  withoutSecondZero,
} from "../../model/columns.ts";
import type { SumColumns } from "../../model/data-points.ts";
import { describeBurst, findBursts, type SecondFailures } from "./read-burst.ts";
import { type FindingsScope, openFindingsScope } from "./findings-scope.ts";
import { mergeAllSums } from "../../series/merge-all-series.ts";
import { withSnapshot, type Snapshots } from "../../series/open-snapshot.ts";
import type { Snapshot } from "../../store/snapshot.ts";
import { SIDE_SECONDS } from "./find-step.ts";
import { incidentsOf, labelsOf } from "./incidents.ts";
import { readCauses } from "./read-causes.ts";
import { readDrift } from "./read-drift.ts";
import { readDrops } from "./read-drops.ts";
import { type EndpointSigns, readEndpoints } from "./read-endpoints.ts";
import { findFailing, isFailing } from "./read-failing.ts";
import { readGenerator } from "./read-generator.ts";
import { readOmission } from "./read-omission.ts";
import { readSlowness } from "./read-slowness.ts";
import { readingAll } from "./read-step.ts";
import type { QualityRemark } from "../../api/parts.ts";
import { readSourceFacts, remarksOn } from "../../query/source-facts.ts";

/** Anomalies of a load test, over the merged selection (`overall.ts`) and in its endpoints, by incident, in the order in which these begin. */
export interface Findings {
  readonly incidents: readonly Incident[];
  readonly quality: readonly QualityRemark[];
}

/** Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
export async function readFindings(points: Snapshots, query: SelectedPart): Promise<Findings> {
  return withSnapshot(points, query, async (snapshot) => {
    const scope = await openFindingsScope(snapshot, query.selection);
    const range = withoutSecondZero(query.range ?? ALL_SECONDS);
    const sums = await mergeAllSums(scope.overall.sums(range));
    const { remarks } = await readSourceFacts(snapshot);
    const [from] = sums.second;
    if (from === undefined) {
      return { incidents: [], quality: remarksOn(remarks, ABOUT_STEPS) };
    }
    const span = { from, until: endOfPoints(sums) };
    const anomalies = await readAnomalies(scope, sums, span);
    const hasFailures = anomalies.some(({ kind }) => kind === "burst" || kind === "failing");
    const quality = remarksOn(remarks, hasFailures ? [...ABOUT_STEPS, "failures"] : ABOUT_STEPS);
    return { incidents: await withCauses(snapshot, anomalies, span), quality };
  });
}

/** Of more incidents the causes are not searched. */
const EXPLAINED_MAX = 10;

async function withCauses(
  snapshot: Snapshot,
  anomalies: readonly Anomaly[],
  run: SecondRange,
): Promise<readonly Incident[]> {
  const incidents: Incident[] = [];
  for (const { findings, ...range } of incidentsOf(anomalies)) {
    const [first] = findings;
    // What was so from the first request on has nothing before it, and a busy load generator is a cause.
    const isWithin = !["failing", "drift", "generator"].includes(first.kind);
    const isExplained = isWithin && incidents.length < EXPLAINED_MAX;
    const place = { ...range, labels: labelsOf(first), run };
    const causes = isExplained ? await readCauses(snapshot, place) : { causes: [] };
    const until = Math.min(range.until, run.until) - 1;
    incidents.push({ kind: "incident", from: range.from, until, findings, ...causes });
  }
  return incidents;
}

async function readAnomalies(
  scope: FindingsScope,
  sums: SumColumns,
  span: SecondRange,
): Promise<readonly Anomaly[]> {
  const endpoints = await readEndpoints(scope, span);
  const failing = findFailing(endpoints, { ...span, count: sumOf(sums.requests) });
  const all = readingAll(scope, span);
  const bursts = await readBursts(scope, sums, span, endpoints);
  const slowness = await readSlowness(scope, { all, span, sums, endpoints, bursts });
  const omission = await readOmission(scope, sums);
  const drops = (await readDrops(scope.snapshot, sums)).filter(
    (drop) => omission === undefined || !omission.stalls.some((stall) => overlaps(stall, drop)),
  );
  const ofAll = slowness.filter(({ of }) => of === undefined).map(secondsOf);
  // A rise that a step explains is not slow.
  const isStep = ofAll.some(({ from, until }) => until - from >= SIDE_SECONDS);
  const drift = isStep ? undefined : await readDrift(all, span, ofAll);
  const generator = await readGenerator(scope.snapshot, span);
  const found = [
    failing ?? [],
    slowness,
    bursts,
    omission ?? [],
    drops,
    drift ?? [],
    generator ?? [],
  ];
  return found.flat().toSorted((left, right) => beginOf(left) - beginOf(right));
}

function secondsOf({ at, backAt = Infinity }: StepFinding): SecondRange {
  return { from: at, until: backAt };
}

function beginOf(anomaly: Anomaly): number {
  return anomaly.kind === "step" ? anomaly.at : anomaly.from;
}

/** Both ends are included. */
interface Seconds {
  readonly from: number;
  readonly until: number;
}

function overlaps(one: Seconds, other: Seconds): boolean {
  return one.from <= other.until && other.from <= one.until;
}

/** The most failures first. */
const BURSTS_MAX = 5;

/** In the sums of the scope and in single endpoints. Endpoints that fail throughout count for neither. */
async function readBursts(
  scope: FindingsScope,
  sums: SumColumns,
  span: SecondRange,
  endpoints: readonly EndpointSigns[],
): Promise<readonly BurstFinding[]> {
  const sound = endpoints.filter((each) => !isFailing(each));
  const failing = endpoints.filter(isFailing).map(({ endpoint }) => endpoint);
  const theirs =
    failing.length === 0
      ? sums
      : withoutRequests(sums, await mergeAllSums(scope.snapshot.read(failing, span, "sums")));
  const overall = findBursts(theirs);
  const allErrCount = sumOf(theirs.failedRequests);
  const ofOne = sound.flatMap(({ endpoint, errCount, bursts }) =>
    bursts
      .filter((burst) => !overall.some((known) => overlaps(known, burst)))
      .map((burst) => ({ burst, allErrCount: errCount, of: endpoint })),
  );
  const all = [...overall.map((burst) => ({ burst, allErrCount, of: undefined })), ...ofOne];
  const largest = all.toSorted((left, right) => right.burst.errCount - left.burst.errCount);
  const found: BurstFinding[] = [];
  for (const each of largest.slice(0, BURSTS_MAX)) {
    const where = { of: each.of, except: failing };
    found.push(await describeBurst(scope, each.burst, each.allErrCount, where));
  }
  return found;
}

/** Of a large index, only some endpoints are known: the others are what is left without these. */
function withoutRequests(
  { second, requests, failedRequests, windowSeconds }: SumColumns,
  some: SumColumns,
): SecondFailures {
  const left = { requests: requests.slice(), failedRequests: failedRequests.slice() };
  for (const [point, at] of some.second.entries()) {
    const same = lowerBound(second, at);
    if (second[same] !== at) continue;
    left.requests[same] = (left.requests[same] as number) - (some.requests[point] as number);
    left.failedRequests[same] =
      (left.failedRequests[same] as number) - (some.failedRequests[point] as number);
  }
  return { second, windowSeconds, ...left };
}

/** Finds only what the load generator omitted. Throws what `readFindings` throws. */
export async function findOmission(
  points: Snapshots,
  query: SelectedPart,
): Promise<OmissionFinding | undefined> {
  return withSnapshot(points, query, async (snapshot) => {
    const scope = await openFindingsScope(snapshot, query.selection);
    const range = withoutSecondZero(query.range ?? ALL_SECONDS);
    return readOmission(scope, await mergeAllSums(scope.overall.sums(range)));
  });
}

const ABOUT_STEPS = ["times", "windows"] as const;
