import type { Figures } from "../../api/summary.ts";
import type { QualityRemark } from "../../api/parts.ts";
import type { TrendFigure } from "../../api/trend.ts";
import { LruCache } from "../../concurrency/lru-cache.ts";
import { UserError } from "../../model/errors.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import type { DerivedRole } from "../../model/role.ts";
import { type Summary, summarise } from "../../query/open-summary.ts";
import { remarksOn } from "../../query/source-facts.ts";
import type { EndpointSelection } from "../../series/endpoint-selection.ts";
import { revisionOf } from "../../series/open-snapshot.ts";
import { hasRamps, type SteadyPart, steadyRange } from "../../series/steady-range.ts";
import type { Points } from "../../store/store.ts";

/** The part of each load test that is read. */
export interface TrendPart extends Omit<SteadyPart, "range"> {
  readonly selection: EndpointSelection;
}

export type RunFigures = Pick<Figures, TrendFigure>;

export interface EndpointRunFigures extends RunFigures {
  readonly label: string;
  /** SHA-1 of the label, 40 hex digits. */
  readonly hash: string;
  readonly role?: DerivedRole | undefined;
}

export interface RunValues {
  readonly revision: string;
  readonly overall: RunFigures;
  readonly endpoints: readonly EndpointRunFigures[];
  readonly quality: readonly QualityRemark[];
}

/** Endpoints remembered of all load tests together: some hundred bytes each. */
const REMEMBERED_MAX = 100_000;

/** By revision and part. A new run of a series is read alone: the earlier ones are known. */
const remembered = new WeakMap<Pick<Points, "snapshot">, LruCache<string, RunValues>>();

/** `undefined` if the load test was deleted meanwhile. Throws what `summarise` throws. */
export async function readRunValues(
  points: Pick<Points, "snapshot">,
  loadTest: LoadTestSummary,
  part: TrendPart,
): Promise<RunValues | undefined> {
  const known = remembered.get(points) ?? new LruCache<string, RunValues>(REMEMBERED_MAX);
  remembered.set(points, known);
  const revision = await revisionOf(points, loadTest.id);
  const found = known.get(nameOf(loadTest, part, revision));
  if (found !== undefined) return found;
  const summary = await summaryOf(points, loadTest, part);
  if (summary === undefined) return undefined;
  const values = valuesOf(summary);
  const name = nameOf(loadTest, part, values.revision);
  known.set(name, values, values.endpoints.length + 1);
  return values;
}

function nameOf(
  { id, from, until }: LoadTestSummary,
  { selection, skipStartSeconds, skipEndSeconds }: TrendPart,
  revision: string | undefined,
): string {
  return JSON.stringify([id, revision, from, until, selection, skipStartSeconds, skipEndSeconds]);
}

async function summaryOf(
  points: Pick<Points, "snapshot">,
  loadTest: LoadTestSummary,
  { selection, skipStartSeconds, skipEndSeconds }: TrendPart,
): Promise<Summary | undefined> {
  const { id, from, until } = loadTest;
  const span = from === undefined || until === undefined ? undefined : { from, until: until + 1 };
  const part = { range: undefined, skipStartSeconds, skipEndSeconds };
  const range = hasRamps(part) ? steadyRange(part, span) : undefined;
  try {
    return await summarise(points, { loadTestId: id, selection, range, apdexMicros: undefined });
  } catch (error) {
    if (error instanceof UserError && error.code === "unknown-load-test") return undefined;
    throw error;
  }
}

function valuesOf(summary: Summary): RunValues {
  return {
    revision: summary.revision,
    overall: figuresOf(summary.overall),
    endpoints: summary.endpoints.map(({ label, hash, role, ...figures }) => ({
      label,
      hash,
      role,
      ...figuresOf(figures),
    })),
    quality: qualityOf(summary),
  };
}

function figuresOf({ count, errRate, avgLoadTime, p50, p95, p99 }: Figures): RunFigures {
  return { count, errRate, avgLoadTime, p50, p95, p99 };
}

function qualityOf({ overall, endpoints, quality }: Summary): readonly QualityRemark[] {
  const isReported = [overall, ...endpoints].some(({ percentiles }) => percentiles === "reported");
  return remarksOn(quality, ["times", isReported ? "reported" : "unmerged"]);
}
