import { type Answer, ask } from "./client.ts";

/** See docs/api.md, "GET /Api/LoadTests/{id}/Verdict". */
export type Verdict = Answer<"getVerdict">;
export type CheckedThreshold = Verdict["thresholds"][number];
/** A parsed expression. */
export type Limit = Pick<
  CheckedThreshold,
  "failIf" | "figure" | "unit" | "comparison" | "bound" | "endpoint" | "measure" | "where"
>;
export type Threshold = Answer<"getThresholds">["thresholds"][number];

export function askVerdict(id: string, signal: AbortSignal): Promise<Verdict> {
  return ask("getVerdict", { id }, { signal });
}

export async function askThresholds(
  name: string,
  signal: AbortSignal,
): Promise<readonly Threshold[]> {
  return (await ask("getThresholds", { name }, { signal })).thresholds;
}

/** Replaces the thresholds of a name and keeps its Prometheus queries. Throws `ApiError`. */
export async function keepThresholds(
  name: string,
  thresholds: readonly Threshold[],
): Promise<void> {
  const { pull } = await ask("getThresholds", { name });
  await ask("putThresholds", { name }, { body: { thresholds, ...(pull && { pull }) } });
}
