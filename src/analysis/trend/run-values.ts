import { setImmediate as nextTurn } from "node:timers/promises";
import type { Figures } from "../../api/summary.ts";
import type { QualityRemark } from "../../api/parts.ts";
import { TREND_FIGURES, type TrendFigure } from "../../api/trend.ts";
import { LruCache } from "../../concurrency/lru-cache.ts";
import { unless, unlessUserError, UserError } from "../../model/errors.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import type { DerivedRole } from "../../model/role.ts";
import { type Summary, summarise } from "../../query/open-summary.ts";
import { remarksOn } from "../../query/source-facts.ts";
import { type EndpointSelection, whereverFound } from "../../series/endpoint-selection.ts";
import { revisionOf, withSnapshot } from "../../series/open-snapshot.ts";
import { hasRamps, spanOfRun, type SteadyPart, steadyRange } from "../../series/overall.ts";
import type { FiguresText, Points } from "../../store/store.ts";

export interface TrendPart extends Omit<SteadyPart, "range"> {
  readonly selection: EndpointSelection;
}

export type RunFigures = Pick<Figures, TrendFigure>;

export interface EndpointRunFigures extends RunFigures {
  readonly label: string;
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

type ReadPoints = Pick<Points, "snapshot" | "figures">;

/** Endpoints of a load test whose values are stored: a megabyte at most. */
export const STORED_MAX = 1000;

/** Yields the values of each load test; `undefined` for deleted ones, and those that `onUnread` is told of. Throws what `summarise` throws. */
export async function* readEachRunValues(
  points: ReadPoints,
  loadTests: readonly LoadTestSummary[],
  part: TrendPart,
  onUnread?: OnUnread,
): AsyncGenerator<RunValues | undefined> {
  const { selection, skipStartSeconds, skipEndSeconds } = part;
  const name = JSON.stringify([STORED_FORM, selection, skipStartSeconds, skipEndSeconds]);
  for (let at = 0; at < loadTests.length; at += AT_ONCE) {
    const some = loadTests.slice(at, at + AT_ONCE);
    const ids = some.map(({ id }) => id);
    const stored = await points.figures.find(ids, name);
    for (const loadTest of some) {
      const { id } = loadTest;
      const known = stored.get(id);
      const found = known && storedValues(loadTest, known);
      const values =
        found ?? (await readRunValues(points, loadTest, part).catch(unlessReported(id, onUnread)));
      if (values !== undefined && found === undefined && values.endpoints.length <= STORED_MAX) {
        await points.figures.keep(id, name, textOf(loadTest, values)).catch(unlessUserError);
      }
      yield values;
    }
    await nextTurn();
  }
}

/** Told of a load test that cannot be read, and why. */
export type OnUnread = (id: string, message: string) => void;

/** Reports an error of the user's data; without `onUnread`, and any other, it is thrown. */
export function unlessReported(id: string, onUnread: OnUnread | undefined) {
  return (error: unknown): undefined => {
    if (onUnread === undefined || !(error instanceof UserError)) throw error;
    onUnread(id, error.message);
  };
}

/** Load tests whose stored values are read in one step: some milliseconds. */
const AT_ONCE = 100;

/** Increment when other values are computed of the same data. */
const STORED_FORM = 2;

/** Figures in the order of `TREND_FIGURES`. */
interface StoredValues extends Pick<RunValues, "quality"> {
  /** That the part was cut from. */
  readonly span: readonly [from: number | null, until: number | null];
  readonly overall: readonly (number | null)[];
  readonly endpoints: readonly [
    label: string,
    role: DerivedRole | null,
    ...figures: (number | null)[],
  ][];
}

function figuresIn(figures: RunFigures): (number | null)[] {
  return TREND_FIGURES.map((figure) => figures[figure]);
}

function textOf(
  { from, until }: LoadTestSummary,
  { revision, overall, endpoints, quality }: RunValues,
): FiguresText {
  const stored: StoredValues = {
    span: [from ?? null, until ?? null],
    overall: figuresIn(overall),
    endpoints: endpoints.map((each) => [each.label, each.role ?? null, ...figuresIn(each)]),
    quality,
  };
  return { revision, text: JSON.stringify(stored) };
}

/** `undefined` if the load test has grown since it was listed, or before. */
function storedValues(
  { from, until }: LoadTestSummary,
  { revision, text }: FiguresText,
): RunValues | undefined {
  const { span, overall, endpoints, quality } = JSON.parse(text) as StoredValues;
  if (span[0] !== (from ?? null) || span[1] !== (until ?? null)) return undefined;
  return {
    revision,
    overall: namedFigures(overall),
    endpoints: endpoints.map(([label, role, ...figures]) => {
      return { label, role: role ?? undefined, ...namedFigures(figures) };
    }),
    quality,
  };
}

function namedFigures([count, errRate, avgLoadTime, p50, p95, p99]: StoredValues["overall"]) {
  return { count, errRate, avgLoadTime, p50, p95, p99 } as RunFigures;
}

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
  const part = { skipStartSeconds, skipEndSeconds };
  return unless("unknown-load-test", async () => {
    const query = { selection: whereverFound(selection), apdexMicros: undefined };
    return summarise(points, { ...query, ...(await partOfRun(points, loadTest, part)) });
  });
}

/** Without ramps, which are counted from the beginning of the first point and the end of the last. Throws `unknown-load-test`, `damaged-store`. */
export async function partOfRun(
  points: Pick<Points, "snapshot">,
  { id: loadTestId }: Pick<LoadTestSummary, "id">,
  ramps: Omit<SteadyPart, "range">,
) {
  const part = { ...ramps, range: undefined };
  if (!hasRamps(part)) return { loadTestId, range: undefined };
  const span = await withSnapshot(points, { loadTestId }, spanOfRun);
  return { loadTestId, range: steadyRange(part, span) };
}

function valuesOf(summary: Summary): RunValues {
  return {
    revision: summary.revision,
    overall: figuresOf(summary.overall),
    endpoints: summary.endpoints.map(({ label, role, ...figures }) => ({
      label,
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
  const isReported = [overall, ...endpoints].some(
    ({ percentileOrigin }) => percentileOrigin === "reported",
  );
  return remarksOn(quality, ["times", isReported ? "reported" : "unmerged"]);
}
