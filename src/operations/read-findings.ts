import type { DistributionColumns, SumColumns } from "../model/data-points.ts";
import type { FailureKind } from "../model/failures.ts";
import type { Endpoint } from "../model/load-test.ts";
import { mergeSeries } from "../model/merge-points.ts";
import { ALL_SECONDS, type SecondRange, withoutSecondZero } from "../model/second-range.ts";
import type { Snapshot } from "../store/store.ts";
import { type EndpointSelection, hashOfLabel } from "./endpoint-selection.ts";
import { type Burst, findBurst } from "./find-burst.ts";
import { AT_A_STEP, findStep, isSlower, type Step, sumOfSpan } from "./find-step.ts";
import { mergeAllSeries } from "./merge-all-series.ts";
import { openSnapshot, type Snapshots } from "./open-snapshot.ts";
import { TimeSlice } from "./time-slice.ts";
import { selectWhole } from "./whole.ts";
import { windowOf } from "./windows.ts";

export interface FindingsQuery {
  readonly loadTestId: string;
  readonly selection: EndpointSelection;
  /** `undefined`: everything with a known instant. */
  readonly range: SecondRange | undefined;
}

/** What stands out in a load test, all that is selected taken as one (`whole.ts`). */
export interface Findings {
  /** See `Snapshot.revision`. */
  readonly revision: string;
  readonly step: StepFinding | undefined;
  readonly burst: BurstFinding | undefined;
}

export interface StepFinding extends Step {
  /** Those that became slower by themselves, the one first that brought the most waiting. */
  readonly endpoints: readonly NamedEndpoint[];
}

export interface BurstFinding extends Burst {
  /** The kind that most of its failures are of, where the sources tell. */
  readonly kind: (FailureKind & { readonly failures: number }) | undefined;
  /** Those with failures in it, the one with the most first. */
  readonly endpoints: readonly NamedEndpoint[];
}

interface NamedEndpoint {
  readonly label: string;
  readonly hash: string;
}

type Columns = SumColumns & DistributionColumns;

/** Points that a step is looked for in: a longer load test is looked at in coarser steps. */
const POINTS_MAX = 1200;
/** How far the time after a step is looked at, endpoint by endpoint. */
const SIDE_SECONDS = 60;

/** Finds what stands out. Throws `unknown-load-test`, `sum-too-large`, `damaged-store`. */
export async function readFindings(points: Snapshots, query: FindingsQuery): Promise<Findings> {
  const snapshot = await openSnapshot(points, query.loadTestId);
  try {
    const slice = new TimeSlice();
    const selected = await selectWhole(await snapshot.endpoints(), query.selection, slice);
    const scope = { snapshot, endpoints: selected, slice };
    const range = withoutSecondZero(query.range ?? ALL_SECONDS);
    const merged = await mergeAllSeries(snapshot.read(selected, range, "distribution"), slice);
    const step = await findStep(inWindows(merged), slice);
    const burst = findBurst(merged);
    return {
      revision: snapshot.revision,
      step: step === undefined ? undefined : await describeStep(scope, step),
      burst: burst === undefined ? undefined : await describeBurst(scope, burst),
    };
  } finally {
    snapshot.release();
  }
}

interface Scope {
  readonly snapshot: Snapshot;
  readonly endpoints: readonly Endpoint[];
  readonly slice: TimeSlice;
}

function inWindows(series: Columns): Columns {
  const { second } = series;
  const range = (second.at(-1) ?? 0) - (second[0] ?? 0) + 1;
  const seconds = Math.ceil(range / POINTS_MAX);
  if (seconds === 1) return series;
  return mergeSeries([{ ...series, second: second.map((each) => windowOf(each, seconds)) }]);
}

async function describeStep(scope: Scope, step: Step): Promise<StepFinding> {
  const { at } = step;
  const range = { from: Math.max(1, at - SIDE_SECONDS), until: at + SIDE_SECONDS };
  const slower: (NamedEndpoint & { readonly addedMicros: number })[] = [];
  for await (const series of scope.snapshot.read(scope.endpoints, range, "distribution")) {
    const before = sumOfSpan(series.columns, range.from, at);
    const after = sumOfSpan(series.columns, at, range.until);
    if (!isSlower(before, after, AT_A_STEP)) continue;
    const usual = Number(before.elapsedMicros) / Number(before.requests);
    const addedMicros = Number(after.elapsedMicros) - usual * Number(after.requests);
    slower.push({ ...named(series.endpoint), addedMicros });
    if (scope.slice.isOver()) await scope.slice.next();
  }
  const worst = slower.toSorted((left, right) => right.addedMicros - left.addedMicros);
  return { ...step, endpoints: worst.map(({ label, hash }) => ({ label, hash })) };
}

async function describeBurst(scope: Scope, burst: Burst): Promise<BurstFinding> {
  const range = { from: burst.from, until: burst.until + 1 };
  const failing: (NamedEndpoint & { readonly failures: number })[] = [];
  for await (const { endpoint, columns } of scope.snapshot.read(scope.endpoints, range, "sums")) {
    const failures = columns.failedRequests.reduce((sum, count) => sum + count, 0);
    if (failures > 0) failing.push({ ...named(endpoint), failures });
  }
  const most = failing.toSorted((left, right) => right.failures - left.failures);
  const endpoints = most.map(({ label, hash }) => ({ label, hash }));
  return { ...burst, kind: await kindOf(scope, burst), endpoints };
}

async function kindOf(scope: Scope, burst: Burst): Promise<BurstFinding["kind"]> {
  const range = { from: burst.from, until: burst.until + 1 };
  const counts = new Map<string, FailureKind & { failures: number }>();
  for await (const { kinds, kind, requests } of scope.snapshot.failures(scope.endpoints, range)) {
    for (const [row, count] of requests.entries()) {
      const { code, message } = kinds[kind[row] as number] as FailureKind;
      const key = JSON.stringify([code, message]);
      const known = counts.get(key) ?? { code, message, failures: 0 };
      counts.set(key, { ...known, failures: known.failures + count });
    }
  }
  const [most] = [...counts.values()].toSorted((left, right) => right.failures - left.failures);
  return most !== undefined && most.failures * 2 > burst.failures ? most : undefined;
}

function named({ label }: Endpoint): NamedEndpoint {
  return { label, hash: hashOfLabel(label) };
}
