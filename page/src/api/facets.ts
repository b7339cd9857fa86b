import { type Answer, ApiError, ask } from "./client.ts";

/** Values with their requests in the whole run, most first. */
export type Facet = Answer<"getFacets">["facets"][number];

/** Empty if its requests have none. */
export async function askFacets(id: string, signal: AbortSignal): Promise<readonly Facet[]> {
  return (await ask("getFacets", { id }, { signal })).facets;
}

/** Whether a run is there, but no request has a facet that was asked for. */
export function isUnknownFacet(error: unknown): boolean {
  return error instanceof ApiError && error.code === "unknown-facet";
}
