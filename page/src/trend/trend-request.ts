import { facetsIn } from "../facets/facet-filter.ts";
import type { TrendParameters } from "../api/trend.ts";

/** Default and maximum number of load tests. */
export const LAST_CHOICES = ["50", "100", "200", "400", "2000"] as const;
export const LAST_DEFAULT = "100";

/** The request the URL describes: `series` is the name of the load tests. */
export function trendRequest(
  series: string | undefined,
  parameters: ReadonlyMap<string, string>,
): TrendParameters {
  const given = (name: string): string | undefined => {
    const text = parameters.get(name);
    return text === "" ? undefined : text;
  };
  return {
    name: series,
    tag: given("tag"),
    last: Number(chosenLast(parameters)),
    since: given("since"),
    upTo: given("upTo"),
    ignoreBaseline: parameters.get("baseline") === "ignored" ? "true" : undefined,
    filter: given("filter"),
    ...facetsIn(parameters),
    measure: given("measure"),
  };
}

/** One of `LAST_CHOICES`. */
export function chosenLast(parameters: ReadonlyMap<string, string>): (typeof LAST_CHOICES)[number] {
  const last = parameters.get("last");
  return LAST_CHOICES.find((each) => each === last) ?? LAST_DEFAULT;
}
