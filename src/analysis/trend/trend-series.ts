import { badParameter, UserError } from "../../model/errors.ts";
import {
  type LoadTestSummary,
  comparePositions,
  positionOf,
  requireLoadTest,
} from "../../model/load-test.ts";
import type { LoadTests } from "../../store/store.ts";
import { findBaseline, isBaseline } from "../../catalogue/baseline.ts";

/** Load tests of one name, one tag, or both. */
export interface SeriesQuery {
  readonly name?: string | undefined;
  readonly tag?: string | undefined;
  /** Maximum number, latest first. */
  readonly last: number;
  /** Skips load tests before this one. @default the baseline of the name */
  readonly since?: string | undefined;
  /** @default false */
  readonly ignoreBaseline?: boolean | undefined;
  /** Skips load tests after this one, which is in the series whatever its name. */
  readonly upTo?: string | undefined;
}

/** Five years of nightly load tests. */
export const LOAD_TESTS_MAX = 2000;

export const LOAD_TESTS_DEFAULT = 100;

export interface SelectedSeries {
  /** In order of start, latest last. */
  readonly loadTests: readonly LoadTestSummary[];
  /** Number of load tests between `since` and these. */
  readonly earlier: number;
  /** Load test chosen as the start of the history. */
  readonly since: string | undefined;
  /** The baseline, whether or not the history starts there. */
  readonly baseline: string | undefined;
}

/** Throws `unknown-load-test` for a missing series or bound, `bad-parameter` without name and tag, or if it ends before it begins. */
export async function selectSeries(
  loadTests: LoadTests,
  query: SeriesQuery,
): Promise<SelectedSeries> {
  const { name, tag, last, since, upTo } = query;
  if (name === undefined && tag === undefined) {
    throw badParameter("expected a name or a tag of load tests");
  }
  const [given, end] = await Promise.all([since, upTo].map((id) => findLoadTest(loadTests, id)));
  if (given !== undefined && end !== undefined && startsBefore(end, given)) {
    throw endsBeforeItBegins(given, end);
  }
  const listed = (await loadTests.list({ search: name, tag })).filter(
    (each) => name === undefined || each.name === name,
  );
  if (listed.length === 0) throw noSuchSeries(name, tag);
  const baseline = await baselineOf(loadTests, query, listed);
  const first = given ?? beginOf(baseline, { ...query, end });
  const within = listed.filter(
    (each) => !startsBefore(each, first) && (end === undefined || startsBefore(each, end)),
  );
  const all = [...(end === undefined ? [] : [end]), ...within];
  const chosen = all.slice(0, last);
  return {
    loadTests: chosen.toReversed(),
    earlier: all.length - chosen.length,
    since: first?.id,
    baseline: baseline?.id,
  };
}

/** Only names have a baseline; those with a tag may not contain it. */
async function baselineOf(
  loadTests: LoadTests,
  { name, tag }: SeriesQuery,
  listed: readonly LoadTestSummary[],
): Promise<LoadTestSummary | undefined> {
  if (name === undefined) return undefined;
  return tag === undefined ? listed.find(isBaseline) : findBaseline(loadTests, name);
}

/** The past before the baseline has none. */
function beginOf(
  baseline: LoadTestSummary | undefined,
  { ignoreBaseline, end }: SeriesQuery & { readonly end: LoadTestSummary | undefined },
): LoadTestSummary | undefined {
  if (ignoreBaseline === true || baseline === undefined) return undefined;
  return end !== undefined && startsBefore(end, baseline) ? undefined : baseline;
}

async function findLoadTest(
  loadTests: LoadTests,
  id: string | undefined,
): Promise<LoadTestSummary | undefined> {
  return id === undefined ? undefined : requireLoadTest(await loadTests.find(id), id);
}

function startsBefore(loadTest: LoadTestSummary, other: LoadTestSummary | undefined): boolean {
  return other !== undefined && comparePositions(positionOf(loadTest), positionOf(other)) > 0;
}

function noSuchSeries(name: string | undefined, tag: string | undefined): UserError {
  const parts = [
    ...(name === undefined ? [] : [`named ${JSON.stringify(name.slice(0, 200))}`]),
    ...(tag === undefined ? [] : [`with the tag ${JSON.stringify(tag.slice(0, 200))}`]),
  ];
  return new UserError("unknown-load-test", `there is no run ${parts.join(" and ")}`);
}

function endsBeforeItBegins(first: LoadTestSummary, end: LoadTestSummary): UserError {
  const [from, until] = [first, end].map((loadTest) => {
    const startedAt = new Date(positionOf(loadTest).startedAtMs).toISOString();
    return `${JSON.stringify(loadTest.id)} (started at ${startedAt})`;
  });
  return badParameter(
    `the history cannot end with run ${until}: it started before ${from}, the first one`,
  );
}

/** Cache key of a series without its data. */
export function seriesText({ loadTests, earlier, since, baseline }: SelectedSeries): string {
  const named = loadTests.map(({ id, name }) => [id, name]);
  return JSON.stringify([earlier, since ?? null, baseline ?? null, named]);
}
