import { type Answer, ask, type Parameters } from "./client.ts";
import type { LoadTest } from "./load-tests.ts";

/** See docs/api.md, "GET /Api/Trend". Times in seconds. */
export type Trend = Answer<"getTrend">;
export type TrendChange = Trend["changes"][number];
export type TrendLoadTest = Trend["loadTests"][number];
export type TrendFigure = TrendChange["figure"];
/** One value per load test for each figure. */
export type TrendValues = Trend["overall"];
export type EndpointTrend = Trend["endpoints"][number];
export type MeasureTrend = NonNullable<Trend["measures"]>[number];
export type TrendParameters = Parameters<"getTrend">;

export function askTrend(parameters: TrendParameters, signal: AbortSignal): Promise<Trend> {
  return ask("getTrend", parameters, { signal });
}

/** The tag that marks the baseline of a name: docs/trend.md. */
const BASELINE_TAG = "baseline";

export function isBaseline({ tags }: Pick<LoadTest, "tags">): boolean {
  return tags.includes(BASELINE_TAG);
}

/** Makes a load test the baseline of its name instead of any other, or removes that. */
export async function setBaseline(id: string, isSet: boolean): Promise<void> {
  const body = isSet ? { addTags: [BASELINE_TAG] } : { removeTags: [BASELINE_TAG] };
  await ask("changeLoadTest", { id }, { body });
}
