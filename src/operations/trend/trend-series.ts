import { UserError } from "../../model/errors.ts";
import type { LoadTestSummary } from "../../model/load-test.ts";
import { comparePlaces, placeOf } from "../../model/select-load-tests.ts";
import { unknownLoadTest } from "../../model/unknown-load-test.ts";
import type { LoadTests } from "../../store/store.ts";

/** Which load tests are a series: those of one name, with one tag, or both. */
export interface SeriesQuery {
  readonly name?: string | undefined;
  readonly tag?: string | undefined;
  /** At most so many, the latest. */
  readonly last: number;
  /** The baseline: leaves out what started before this load test. */
  readonly since?: string | undefined;
  /** Leaves out what started after this load test, which is in the series, whatever its name. */
  readonly upTo?: string | undefined;
}

/** So many load tests are looked at together, at most. */
export const LOAD_TESTS_MAX = 400;

/** So many are, where nothing else is said. */
export const LOAD_TESTS_DEFAULT = 100;

export interface SelectedSeries {
  /** By their start, the latest last. */
  readonly loadTests: readonly LoadTestSummary[];
  /** How many more there are between the baseline and these. */
  readonly earlier: number;
}

/** Throws `unknown-load-test` where there is none, or no baseline; `bad-parameter` without name and tag. */
export async function selectSeries(
  loadTests: LoadTests,
  { name, tag, last, since, upTo }: SeriesQuery,
): Promise<SelectedSeries> {
  if (name === undefined && tag === undefined) {
    throw new UserError("bad-parameter", "expected the name of the load tests, or a tag of theirs");
  }
  const [first, end] = await Promise.all([since, upTo].map((id) => findLoadTest(loadTests, id)));
  const listed = (await loadTests.list({ search: name, tag })).filter(
    (each) => name === undefined || each.name === name,
  );
  if (listed.length === 0) throw noSuchSeries(name, tag);
  const within = listed.filter(
    (each) => !startsBefore(each, first) && (end === undefined || startsBefore(each, end)),
  );
  // The list has the latest first.
  const all = [...(end === undefined ? [] : [end]), ...within];
  const chosen = all.slice(0, last);
  return { loadTests: chosen.toReversed(), earlier: all.length - chosen.length };
}

async function findLoadTest(
  loadTests: LoadTests,
  id: string | undefined,
): Promise<LoadTestSummary | undefined> {
  if (id === undefined) return undefined;
  const found = await loadTests.find(id);
  if (found === undefined) throw unknownLoadTest(id);
  return found;
}

function startsBefore(loadTest: LoadTestSummary, other: LoadTestSummary | undefined): boolean {
  return other !== undefined && comparePlaces(placeOf(loadTest), placeOf(other)) > 0;
}

function noSuchSeries(name: string | undefined, tag: string | undefined): UserError {
  const parts = [
    ...(name === undefined ? [] : [`named ${JSON.stringify(name.slice(0, 200))}`]),
    ...(tag === undefined ? [] : [`with the tag ${JSON.stringify(tag.slice(0, 200))}`]),
  ];
  return new UserError("unknown-load-test", `there is no load test ${parts.join(" and ")}`);
}
