import type { Trend, TrendFigure, TrendLoadTest } from "../../api/trend.ts";
import {
  comparePositions,
  type LoadTestSummary,
  positionOf,
  requireLoadTest,
} from "../../model/load-test.ts";
import { FAILED_TAG } from "../../model/load-test/attributes.ts";
import type { Store } from "../../store/store.ts";
import { findChanges, type FoundChange } from "../trend/find-changes.ts";
import { isReadWhole, type LevelValues, valuesOfWhole } from "../trend/trend-figures.ts";
import { readTrendRows } from "../trend/trend-rows.ts";
import type { CompareQuery } from "./compare-load-tests.ts";

/** Runs of the same name that tell how much runs differ without a change. */
export interface EarlierRuns {
  readonly name: string;
  /** In order of start. */
  readonly loadTests: readonly LoadTestSummary[];
}

/** More runs hardly narrow the limits, and each of them has to be read. */
export const EARLIER_MAX = 15;

/** With fewer runs, how much they differ is unknown. */
export const EARLIER_MIN = 4;

/** Returns the runs of `history` named as the base that started before the later one. Throws `unknown-load-test`. */
export async function selectEarlier(
  { loadTests }: Pick<Store, "loadTests">,
  { base, later }: CompareQuery,
  history: Pick<Store, "loadTests"> = { loadTests },
): Promise<EarlierRuns> {
  const [ofBase, ofLater] = [
    requireLoadTest(await loadTests.find(base.loadTestId), base.loadTestId),
    requireLoadTest(await loadTests.find(later.loadTestId), later.loadTestId),
  ];
  return earlierAmong(await history.loadTests.list({ search: ofBase.name }), ofBase, ofLater);
}

/** The same for each load test but the first, which is the base of all. */
export async function selectEarlierOfEach(
  history: Pick<Store, "loadTests">,
  [base, ...later]: readonly LoadTestSummary[],
): Promise<readonly EarlierRuns[]> {
  if (base === undefined) return [];
  const listed = await history.loadTests.list({ search: base.name });
  return later.map((each) => earlierAmong(listed, base, each));
}

/** `listed`: latest start first. */
function earlierAmong(
  listed: readonly LoadTestSummary[],
  ofBase: LoadTestSummary,
  ofLater: LoadTestSummary,
): EarlierRuns {
  const isEarlier = (each: LoadTestSummary): boolean =>
    [ofBase, ofLater].some((end) => comparePositions(positionOf(each), positionOf(end)) >= 0);
  const own = listed.filter(
    (each) => each.name === ofBase.name && each.id !== ofLater.id && isEarlier(each),
  );
  // A slow build that is run again must not find itself among what runs differ by without a change.
  const passed = own.filter(({ id, tags }) => id === ofBase.id || !tags.includes(FAILED_TAG));
  const known = passed.length < EARLIER_MIN ? own : passed;
  return { name: ofBase.name, loadTests: known.slice(0, EARLIER_MAX).toReversed() };
}

export interface EarlierValues {
  readonly values: LevelValues;
  readonly cuts: ReadonlyMap<TrendFigure, readonly Pick<FoundChange, "at">[]>;
}

export interface ReadEarlier {
  /** Number of runs that were read as a whole; others say nothing about noise. */
  readonly loadTests: number;
  readonly overall: EarlierValues;
  readonly byLabel: ReadonlyMap<string, EarlierValues>;
}

/** How clear a change must be: runs that resemble their neighbours often look like two levels, which would understate the noise. */
const CUT_CHANCE = 0.001;

/** Throws what `summarise` throws. */
export async function readEarlier(
  store: Pick<Store, "points">,
  { loadTests }: EarlierRuns,
  { later }: CompareQuery,
): Promise<ReadEarlier> {
  const { rows, qualities } = await readTrendRows(store, loadTests, later);
  const runs = qualities.map((quality) => ({ quality }));
  const [overall] = await earlierValues([rows.overall], runs);
  const endpoints = rows.endpoints(Infinity);
  const ofEndpoints = await earlierValues(endpoints, runs);
  return {
    loadTests: runs.filter(isReadWhole).length,
    overall: overall as EarlierValues,
    byLabel: new Map(endpoints.map(({ label }, at) => [label, ofEndpoints[at] as EarlierValues])),
  };
}

/** Noise of each row, which has a value for each run. */
export async function earlierValues(
  rows: readonly LevelValues[],
  runs: readonly Pick<TrendLoadTest, "quality">[],
): Promise<readonly EarlierValues[]> {
  const known = rows.map((each) => valuesOfWhole(each, runs));
  const changes = await findChanges(known);
  return known.map((values, at) => ({ values, cuts: cutsOf(changes[at] ?? []) }));
}

export function earlierIn({ loadTests, changes, overall }: Trend): EarlierValues {
  const ids = loadTests.map(({ id }) => id);
  const ofAll = changes
    .filter(({ label }) => label === undefined)
    .map((each) => ({ ...each, at: ids.indexOf(each.loadTestId) }));
  return { values: valuesOfWhole(overall, loadTests), cuts: cutsOf(ofAll) };
}

function cutsOf(
  changes: readonly Pick<FoundChange, "figure" | "at" | "chance">[],
): EarlierValues["cuts"] {
  const clear = changes.filter(({ chance }) => chance <= CUT_CHANCE);
  return Map.groupBy(clear, ({ figure }) => figure);
}
