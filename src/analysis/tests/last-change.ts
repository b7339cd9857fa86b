import type { Test } from "../../api/tests.ts";
import { TREND_FIGURES, type TrendLoadTest, type TrendValues } from "../../api/trend.ts";
import { findChanges, type FoundChange } from "../trend/find-changes.ts";
import { reportedChange } from "../trend/read-trend.ts";
import { comparableValues } from "../trend/trend-figures.ts";
import type { TrendRows } from "../trend/trend-rows.ts";

/** Endpoints whose changes are found, the busiest. */
const ENDPOINTS_MAX = 100;

/** Named of those that changed together. */
const NAMED_MAX = 3;

/** A change has three runs before it and three after. */
const RUNS_MIN = 6;

export type LastChange = Pick<Test, "state" | "changes" | "moreChanges">;

interface Changed extends FoundChange {
  readonly about: { readonly label?: string; readonly hash?: string };
}

/** The last change of a series that is still there: one for the worse, if there is any. `runs` are those of `rows` after the first `skipped`. */
export async function lastChange(
  rows: TrendRows,
  runs: readonly Pick<TrendLoadTest, "id" | "quality">[],
  skipped: number,
): Promise<LastChange> {
  if (runs.length < RUNS_MIN) return { state: "short", changes: [], moreChanges: 0 };
  const cut = (values: TrendValues): TrendValues => {
    const lists = TREND_FIGURES.map((figure) => [figure, values[figure].slice(skipped)]);
    return comparableValues(Object.fromEntries(lists) as TrendValues, runs);
  };
  const endpoints = rows.endpoints(ENDPOINTS_MAX);
  const [ofWhole = []] = await findChanges([cut(rows.overall)]);
  const ofEndpoints = await findChanges(endpoints.map(cut));
  const lasting = [
    ...lastOf(ofWhole, {}),
    ...endpoints.flatMap(({ label, hash }, at) => lastOf(ofEndpoints[at] ?? [], { label, hash })),
  ];
  const worse = lasting.filter(({ before, after }) => after > before);
  const [state, ofState] =
    worse.length > 0 ? ["worse" as const, worse] : ["better" as const, lasting];
  const at = Math.max(...ofState.map((each) => each.at));
  const together = ofState.filter((each) => each.at === at);
  if (together.length === 0) return { state: "steady", changes: [], moreChanges: 0 };
  const named = [...Map.groupBy(together, ({ about }) => about.hash)]
    .flatMap(([, own]) => own.find(({ figure }) => figure === "p95") ?? own[0] ?? [])
    .toSorted((left, right) => sizeOf(right) - sizeOf(left));
  // All endpoints together change because some do.
  const ofEach = named.filter(({ about }) => about.hash !== undefined);
  const shown = ofEach.length === 0 ? named : ofEach;
  return {
    state,
    changes: shown.slice(0, NAMED_MAX).map((each) => reportedChange(each, runs)),
    moreChanges: Math.max(0, shown.length - NAMED_MAX),
  };
}

/** The last change of each statistic that is better high or low. */
function lastOf(found: readonly FoundChange[], about: Changed["about"]): readonly Changed[] {
  const judged = found.filter(({ figure }) => figure !== "count");
  const byFigure = Map.groupBy(judged, ({ figure }) => figure);
  return [...byFigure.values()].map((own) => {
    const last = own.reduce((latest, each) => (each.at > latest.at ? each : latest));
    return { ...last, about };
  });
}

/** So that twice as long and half as long are as large. */
function sizeOf({ before, after }: FoundChange): number {
  return Math.abs(Math.log(Math.max(after, 1e-9) / Math.max(before, 1e-9)));
}
