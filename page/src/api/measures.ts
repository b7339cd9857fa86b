import { type Answer, ask } from "./client.ts";
import type { Scope } from "./figures.ts";

/** See docs/api.md. Figures of a series over a range. */
type AnsweredMeasure = Answer<"getMeasures">["measures"][number];

/** What identifies a series within a load test, and its figures. */
export interface MeasureFacts extends Pick<
  AnsweredMeasure,
  "name" | "unit" | "kind" | "tags" | "endpoint" | "count" | "from" | "until"
> {
  /** The same for the same series in all answers. */
  readonly key: string;
}

/** One series over time; intervals without a value are left out. */
export interface MeasurePoints extends Omit<MeasureFacts, "count" | "from" | "until"> {
  /** Where intervals begin. */
  readonly labels: readonly number[];
  readonly counts: readonly number[];
  readonly sums: readonly number[];
}

/** All series of a load test, whatever the range. */
export async function askMeasures(
  id: string,
  signal: AbortSignal,
): Promise<readonly MeasureFacts[]> {
  const { measures } = await ask("getMeasures", { id }, { signal });
  return measures.map((measure) => ({ ...measure, key: keyOf(measure) }));
}

interface MeasureChoice {
  readonly name: string;
  /** The endpoint that the measure belongs to; `undefined`: any, or none. */
  readonly hash: string | undefined;
  /** Merges series instead. */
  readonly selector?: string | undefined;
}

/** All series of a measure with this name; of one endpoint if its hash is given; or what a selector merges. */
export async function askMeasureSeries(
  { id, from, until }: Pick<Scope, "id" | "from" | "until">,
  { name, hash, selector }: MeasureChoice,
  resolution: number,
  signal: AbortSignal,
): Promise<readonly MeasurePoints[]> {
  const limit = SERIES_MAX;
  const which = selector === undefined ? { measure: name, endpoint: hash } : { selector };
  const parameters = { id, from, until, ...which, resolution, limit };
  const { series } = await ask("getMeasureSeries", parameters, { signal });
  return series.map(({ seconds, count, sum, ...own }) => {
    return { ...own, key: keyOf(own), labels: seconds, counts: count, sums: sum };
  });
}

/** Selects the measure of the whole run with this name: docs/check.md. */
export function selectorOf(name: string): string {
  return /^[\w.:/-]+$/.test(name) ? name : `"${name.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}

/** The service keeps no more. */
const SERIES_MAX = 2000;

function keyOf({
  name,
  unit,
  kind,
  tags,
  endpoint,
}: Pick<AnsweredMeasure, "name" | "unit" | "kind" | "tags" | "endpoint">): string {
  return JSON.stringify([endpoint?.hash ?? "", name, unit, kind, Object.entries(tags)]);
}
