/** The part of a comparison that the URL selects. */

import type { Compared, TimeFigure } from "../api/comparison.ts";
import { facetsIn } from "../facets/facet-filter.ts";
import { type RowOrder, sortColumn } from "./sort-rows.ts";
import { type Kind, kindNamed } from "./verdicts.ts";

export const STATISTICS = ["average", "p50", "p95", "p99", "requests/s", "failed/s"] as const;

export type Statistic = (typeof STATISTICS)[number];

export interface ShownPart {
  readonly compared: Compared;
  /** Drawn over time. */
  readonly statistic: Statistic;
  /** The statistic in the table, if it is a time. */
  readonly figure: TimeFigure;
  readonly figureName: string;
  readonly order: RowOrder;
  /** Text that labels contain, case-sensitive; empty: any. */
  readonly filter: string;
  /** The only kind shown; `undefined`: all. */
  readonly kind: Kind | undefined;
  /** Hash of the endpoint whose curves are shown; `undefined`: overall. */
  readonly hash: string | undefined;
}

/** Ignores what a comparison does not have. */
export function shownPart(
  { base, id }: Pick<Compared, "base" | "id">,
  parameters: ReadonlyMap<string, string>,
): ShownPart {
  const statistic = STATISTICS.find((each) => each === parameters.get("statistic")) ?? "p95";
  const [figure, figureName] = figureOf(statistic);
  const skipStart = secondsIn(parameters.get("skipStart")) ?? 0;
  const until = secondsIn(parameters.get("until"));
  return {
    compared: {
      base,
      id,
      skipStart,
      until: until !== undefined && until > skipStart ? until : undefined,
      ...facetsIn(parameters),
    },
    statistic,
    figure,
    figureName,
    order: {
      column: sortColumn(parameters.get("sort")),
      isReversed: parameters.get("order") === "reversed",
      figure,
    },
    filter: parameters.get("filter") ?? "",
    kind: kindNamed(parameters.get("verdict")),
    hash: /^[0-9a-f]{40}$/.exec(parameters.get("endpoint") ?? "")?.[0],
  };
}

/** In the table, rates are next to p95. */
function figureOf(statistic: Statistic): readonly [TimeFigure, string] {
  if (statistic === "average") return ["avgLoadTime", "average"];
  const figure = statistic === "p50" || statistic === "p99" ? statistic : "p95";
  return [figure, figure];
}

function secondsIn(text = ""): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined;
}
