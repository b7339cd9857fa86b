import type { SummaryFigures } from "../api/summary.ts";
import type { SecondRange } from "../model/second-range.ts";
import { ALL_ENDPOINTS } from "../series/endpoint-selection.ts";
import type { LoadTestReader } from "./load-test-reader.ts";
import { hasRamps, type SteadyPart, steadyRange } from "../series/steady-range.ts";

/**
 * Returns the seconds of a part of a load test without its ramps; `undefined`: all of it. Throws what
 * `LoadTestReader.summarise` throws.
 */
export async function readSteadyRange(
  reader: LoadTestReader,
  loadTestId: string,
  part: SteadyPart,
): Promise<SecondRange | undefined> {
  if (!hasRamps(part)) return part.range;
  const everything = { selection: ALL_ENDPOINTS, range: undefined, apdexMicros: undefined };
  return steadyRange(part, spanOf(await reader.summarise({ loadTestId, ...everything })));
}

/** Over all endpoints; `undefined` without known timestamps. */
function spanOf({ endpoints }: SummaryFigures): SecondRange | undefined {
  let [first, end] = [Infinity, 0];
  for (const { from, until } of endpoints) {
    if (from === undefined || until === undefined) continue;
    first = Math.min(first, from);
    end = Math.max(end, until + 1);
  }
  return end === 0 ? undefined : { from: first, until: end };
}
