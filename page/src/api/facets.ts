import { type Answer, ask } from "./client.ts";

/** Values with their requests in the whole run, most first. */
export type Facet = Answer<"getFacets">["facets"][number];

/** Empty if its requests have none. */
export async function askFacets(id: string, signal: AbortSignal): Promise<readonly Facet[]> {
  return (await ask("getFacets", { id }, { signal })).facets;
}
