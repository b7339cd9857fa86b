import { UserError } from "../model/errors.ts";
import type { Endpoint } from "../model/load-test.ts";
import { type EndpointSelection, selectEndpoints } from "./endpoint-selection.ts";
import { labelledParts, selectNumbers } from "./many-selected.ts";
import type { TimeSlice } from "./time-slice.ts";
import type { Snapshot } from "../store/snapshot.ts";

/** Most endpoints of which an answer holds something in memory for each: some hundred megabytes. */
const HELD_ENDPOINTS_MAX = 100_000;

interface FewSelected {
  readonly selection: EndpointSelection;
  /** What is done with them, for the error: `compare`. */
  readonly doing: string;
  /** @default HELD_ENDPOINTS_MAX */
  readonly most?: number | undefined;
}

/** The endpoints that are selected, by label. Throws `too-many-endpoints` where they are more than `most`. */
export async function selectFew(
  snapshot: Snapshot,
  { selection, doing, most = HELD_ENDPOINTS_MAX }: FewSelected,
  slice: TimeSlice,
): Promise<readonly Endpoint[]> {
  const requireFew = (count: number): void => {
    if (count <= most) return;
    throw new UserError(
      "too-many-endpoints",
      `cannot ${doing} ${count} endpoints of load test "${snapshot.loadTest.id}": expected at most ${most}; ` +
        "choose some of them by a filter",
    );
  };
  const many = await snapshot.many?.();
  if (many === undefined) {
    const endpoints = await selectEndpoints(await snapshot.endpoints(), selection, slice);
    requireFew(endpoints.length);
    return endpoints;
  }
  const numbers = await selectNumbers(many, selection);
  requireFew(numbers.length);
  const endpoints: Endpoint[] = [];
  for await (const part of labelledParts(many, numbers)) endpoints.push(...part);
  return endpoints;
}
