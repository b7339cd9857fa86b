import type { LoadTestSummary } from "../model/load-test.ts";
import type { SourceEndpoint } from "../store/snapshot.ts";

/** Points that are asked for at once: a store that does not read one endpoint at a time holds them. */
const POINTS_AT_ONCE = 500_000;

/** More endpoints than this make a question too long. */
const ENDPOINTS_AT_ONCE_MAX = 2000;

/** Parts of a list of endpoints that can be read at once, whatever each of them has. */
export function* endpointChunks(
  endpoints: readonly SourceEndpoint[],
  { from = 0, until = 0 }: Pick<LoadTestSummary, "from" | "until">,
): Generator<readonly SourceEndpoint[]> {
  const most = Math.ceil(POINTS_AT_ONCE / (until - from + 1));
  const size = Math.min(most, ENDPOINTS_AT_ONCE_MAX);
  for (let start = 0; start < endpoints.length; start += size) {
    yield endpoints.slice(start, start + size);
  }
}
