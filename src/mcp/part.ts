import { z } from "zod";
import { UserError } from "../model/errors.ts";
import type { SecondRange } from "../model/columns.ts";
import {
  ALL_ENDPOINTS,
  type EndpointSelection,
  hashOfLabel,
} from "../series/endpoint-selection.ts";
import { conditionOf } from "../series/merge-all-series.ts";
import { type LoadTestReader, readSteadyRange } from "../analysis/load-test-reader.ts";

/** A whole number; bounds are inclusive. */
export function whole(least: number, most: number, description: string) {
  return z.int().min(least).max(most).describe(description);
}

/** A text that may be absent, but not empty. */
export function text(description: string) {
  return z.string().min(1).optional().describe(description);
}

function facetList(description: string) {
  return z.array(z.string().min(1)).optional().describe(description);
}

export const LOAD_TEST = z.string().min(1).describe("id of the load test");

export const SELECTION = {
  filter: text("only endpoints whose label contains this text"),
  label: z.string().optional().describe("only the endpoint with exactly this label"),
  where: facetList(
    'only requests with these facets, such as ["scenario:browse"]; "scenario!:browse": all others',
  ),
  by: facetList("split endpoints by the values of these facets, such as scenario"),
};

/** Input that selects endpoints and seconds. */
export const PART = {
  ...SELECTION,
  from: whole(0, 2 ** 32, "first UNIX second").optional(),
  until: whole(0, 2 ** 32, "UNIX second after the last one").optional(),
};

/** Input that excludes ramp-up and ramp-down. */
export const RAMPS = {
  skipStartSeconds: whole(0, 1_000_000_000, "seconds skipped at the start").default(0),
  skipEndSeconds: whole(0, 1_000_000_000, "seconds skipped at the end").default(0),
};

type Selected = z.infer<z.ZodObject<typeof SELECTION>>;
type Part = z.infer<z.ZodObject<typeof PART>>;

/** Throws `bad-parameter`. */
export function selectionOf({ filter, label, where = [], by = [] }: Selected): EndpointSelection {
  const conditions = where.map((given) => {
    const condition = conditionOf(given);
    if (condition !== undefined) return condition;
    throw new UserError(
      "bad-parameter",
      `where: expected name:value, got ${JSON.stringify(given)}`,
    );
  });
  const isAny = where.length + by.length > 0;
  const facets = isAny && { facets: { where: conditions, by } };
  if (filter !== undefined && label !== undefined) {
    throw new UserError("bad-parameter", "expected either filter or label");
  }
  if (label !== undefined) return { by: "hash", hash: hashOfLabel(label), ...facets };
  return { ...(filter === undefined ? ALL_ENDPOINTS : { by: "filter", filter }), ...facets };
}

/** `undefined`: all seconds. Throws `bad-parameter`. */
export function rangeOf({ from, until }: Pick<Part, "from" | "until">): SecondRange | undefined {
  if (from === undefined && until === undefined) return undefined;
  const range = { from: from ?? 0, until: until ?? 2 ** 32 };
  if (range.from < range.until) return range;
  const got = `got ${range.from} and ${range.until}`;
  throw new UserError("bad-parameter", `from must come before until, ${got}`);
}

type RampedPart = Part & z.infer<z.ZodObject<typeof RAMPS>> & { readonly id: string };

/** The query of such a part. Throws errors of `readSteadyRange`. */
export async function queryOf(reader: LoadTestReader, part: RampedPart) {
  const { id: loadTestId, skipStartSeconds, skipEndSeconds } = part;
  const steady = { range: rangeOf(part), skipStartSeconds, skipEndSeconds };
  const range = await readSteadyRange(reader, { loadTestId, ...steady });
  return { loadTestId, selection: selectionOf(part), range };
}

/** Input that limits the number of items, so that a model can read the response. */
export function limit(usual: number, most: number) {
  return whole(1, most, "maximum number of items").default(usual);
}

/** The first items, and the number of the others. */
export function shortened<Item>(items: readonly Item[], max: number) {
  return { shown: items.slice(0, max), notShown: Math.max(0, items.length - max) };
}
