import { type Answer, ask, type Parameters } from "./client.ts";
import type { LoadTest } from "./load-tests.ts";

/** See docs/api.md, "GET /Api/Trend". Times in seconds. */
export type Trend = Answer<"getTrend">;
export type TrendChange = Trend["changes"][number];
export type TrendLoadTest = Trend["loadTests"][number];
export type TrendFigure = TrendChange["figure"];
/** Of each figure one value for each load test. */
export type TrendValues = Trend["overall"];
export type EndpointTrend = Trend["endpoints"][number];
export type TrendParameters = Parameters<"getTrend">;

export function askTrend(parameters: TrendParameters, signal: AbortSignal): Promise<Trend> {
  return ask("getTrend", parameters, { signal });
}

/** The tag that makes a load test the baseline of its name: docs/trend.md. */
const BASELINE_TAG = "baseline";

export function isBaseline({ tags }: Pick<LoadTest, "tags">): boolean {
  return tags.includes(BASELINE_TAG);
}

/** Makes a load test the baseline of its name, in the place of another one, or takes that back. */
export async function pinBaseline(id: string, isPinned: boolean): Promise<void> {
  const body = isPinned ? { addTags: [BASELINE_TAG] } : { removeTags: [BASELINE_TAG] };
  await ask("changeLoadTest", { id }, { body });
}
