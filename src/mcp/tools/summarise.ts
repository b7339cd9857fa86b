import { z } from "zod";
import { LOAD_TEST, PART, queryOf, RAMPS, limit } from "../part.ts";
import { toolOf } from "../tool.ts";

const ORDERS = ["p95", "count", "errCount"] as const;

export const summarise = toolOf({
  name: "summarise_load_test",
  title: "Summarise a load test",
  description:
    "Counts, error rates, response times (average, percentiles; in seconds) and throughput, " +
    "overall and by endpoint. Endpoints are sorted by `orderBy`, largest first; `notShown` is " +
    "the number of further ones. An endpoint with a `role` repeats requests of others and is not " +
    "in `overall`. Unknown figures are null; `quality` lists limitations of the data.",
  input: {
    id: LOAD_TEST,
    ...PART,
    ...RAMPS,
    orderBy: z.enum(ORDERS).default("p95"),
    limit: limit(30, 500),
  },
  async answer({ orderBy, limit: max, ...part }, measurements) {
    await using opened = await measurements.openReader();
    const { reader } = opened;
    const query = await queryOf(reader, part);
    const rows = { limit: max, sort: orderBy, order: "descending" } as const;
    const asked = await reader.summarise({ ...query, apdexMicros: undefined, rows });
    const { endpoints, endpointCount: _, matchingCount = endpoints.length, ...summary } = asked;
    const shown = endpoints.slice(0, max);
    return {
      ...summary,
      endpoints: shown.map(withoutHash),
      notShown: matchingCount - shown.length,
    };
  },
});

/** Labels are enough to name endpoints, and hashes cost a model many tokens. */
export function withoutHash<Named extends { readonly hash?: string | undefined }>(
  named: Named,
): Omit<Named, "hash"> {
  const { hash: _, ...rest } = named;
  return rest;
}
