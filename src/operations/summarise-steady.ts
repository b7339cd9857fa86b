import { ALL_ENDPOINTS } from "./endpoint-selection.ts";
import type { LoadTestReader, SummaryFigures } from "./load-test-reader.ts";
import type { SecondRange } from "../model/second-range.ts";
import { hasRamps, type SteadyPart, steadyRange } from "./steady-range.ts";
import type { SummaryQuery } from "./summarise.ts";

/** Summarises a load test without its ramps. Throws what `LoadTestReader.summarise` throws. */
export async function summariseSteady(
  reader: LoadTestReader,
  { range, skipStartSeconds, skipEndSeconds, ...query }: SummaryQuery & SteadyPart,
): Promise<SummaryFigures> {
  const part = { range, skipStartSeconds, skipEndSeconds };
  if (!hasRamps(part)) return reader.summarise({ ...query, range });
  const everything = { ...query, selection: ALL_ENDPOINTS, range: undefined };
  const span = spanOf(await reader.summarise(everything));
  return reader.summarise({ ...query, range: steadyRange(part, span) });
}

/** Of all endpoints, whatever of them counts overall; `undefined` where no instant is known. */
function spanOf({ endpoints }: SummaryFigures): SecondRange | undefined {
  let [first, end] = [Infinity, 0];
  for (const { from, until } of endpoints) {
    if (from === undefined || until === undefined) continue;
    first = Math.min(first, from);
    end = Math.max(end, until + 1);
  }
  return end === 0 ? undefined : { from: first, until: end };
}
