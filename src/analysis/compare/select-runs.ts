import { findBaseline } from "../../catalogue/baseline.ts";
import { badParameter } from "../../model/errors.ts";
import { type LoadTestSummary, requireLoadTest } from "../../model/load-test.ts";
import type { LoadTests } from "../../store/store.ts";

/** Either the ids of `runs`, or a name. */
export interface RunsQuery {
  readonly runs?: readonly string[] | undefined;
  readonly name?: string | undefined;
  /** Latest runs of the name, beside the base. @default LAST_DEFAULT, or with `per` all */
  readonly last?: number | undefined;
  /** A property: only the latest run of each of its values. */
  readonly per?: string | undefined;
  /** Id of the base, among the runs or not. @default the first of `runs`; of a name its baseline if chosen, else the oldest chosen */
  readonly base?: string | undefined;
}

export interface SelectedRuns {
  /** The base first; those of a name in order of start. */
  readonly loadTests: readonly LoadTestSummary[];
  readonly leftOut: number;
}

/** Runs that are compared at once, with the base. */
export const RUNS_MAX = 20;

export const LAST_DEFAULT = 5;

/** Throws `unknown-load-test`, `bad-parameter` unless there are 2 to `RUNS_MAX`. */
export async function selectRuns(
  loadTests: Pick<LoadTests, "find" | "list">,
  query: RunsQuery,
): Promise<SelectedRuns> {
  const { runs = [], name, base } = query;
  const find = async (id: string): Promise<LoadTestSummary> =>
    requireLoadTest(await loadTests.find(id), id);
  if (name === undefined) {
    const ids = [...new Set([base ?? [], ...runs].flat())];
    requireCount(ids.length);
    // One after the other: if several are unknown, the error names the first.
    const found: LoadTestSummary[] = [];
    for (const id of ids) found.push(await find(id));
    return { loadTests: found, leftOut: 0 };
  }
  const named = (await loadTests.list({ search: name })).filter((each) => each.name === name);
  const chosen = chosenOf(named, query).toReversed();
  const baseline = base === undefined ? await findBaseline(loadTests, name) : undefined;
  const first =
    base === undefined
      ? (chosen.find(({ id }) => id === baseline?.id) ?? chosen[0])
      : await find(base);
  // If there would be too many, a base that is not among them replaces the oldest.
  const others = chosen.filter(({ id }) => id !== first?.id).slice(1 - RUNS_MAX);
  const all = [first ?? [], ...others].flat();
  requireCount(all.length, `of ${JSON.stringify(name)}`);
  const leftOut = named.filter(({ id }) => all.every((each) => each.id !== id)).length;
  return { loadTests: all, leftOut };
}

/** Latest first. */
function chosenOf(
  named: readonly LoadTestSummary[],
  { last, per }: RunsQuery,
): readonly LoadTestSummary[] {
  if (per === undefined) return named.slice(0, last ?? LAST_DEFAULT);
  const ofValue = Map.groupBy(named, ({ properties }) => propertyOf(properties, per));
  ofValue.delete(undefined);
  return [...ofValue.values()].flatMap(([latest]) => latest ?? []).slice(0, last ?? RUNS_MAX);
}

/** Own members only: a name in a query could be `constructor`. */
export function propertyOf(
  properties: LoadTestSummary["properties"],
  key: string,
): string | undefined {
  return Object.hasOwn(properties, key) ? properties[key] : undefined;
}

function requireCount(count: number, whose = "to compare"): void {
  if (count >= 2 && count <= RUNS_MAX) return;
  throw badParameter(`got ${count} runs ${whose}, want 2 to ${RUNS_MAX}`);
}
