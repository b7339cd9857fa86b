import { z } from "zod";
import { UserError } from "../model/errors.ts";
import type { SecondRange } from "../model/second-range.ts";
import {
  ALL_ENDPOINTS,
  type EndpointSelection,
  hashOfLabel,
} from "../series/endpoint-selection.ts";
import { type LoadTestReader, readSteadyRange } from "../analysis/load-test-reader.ts";

const second = z
  .int()
  .min(0)
  .max(2 ** 32);
const seconds = z.int().min(0).max(1_000_000_000);

export const LOAD_TEST = z.string().min(1).describe("id of the load test");

export const SELECTION = {
  filter: z.string().min(1).optional().describe("only endpoints whose label contains this text"),
  label: z.string().optional().describe("only the endpoint with exactly this label"),
};

/** Input that selects endpoints and seconds. */
export const PART = {
  ...SELECTION,
  from: second.optional().describe("first UNIX second"),
  until: second.optional().describe("UNIX second after the last one"),
};

/** Input that excludes ramp-up and ramp-down. */
export const RAMPS = {
  skipStartSeconds: seconds.default(0).describe("seconds skipped at the start"),
  skipEndSeconds: seconds.default(0).describe("seconds skipped at the end"),
};

interface Part {
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

interface Selected {
  readonly filter?: string | undefined;
  readonly label?: string | undefined;
}

/** Throws `bad-parameter`. */
export function selectionOf({ filter, label }: Selected): EndpointSelection {
  if (filter !== undefined && label !== undefined) {
    throw new UserError("bad-parameter", "expected either filter or label");
  }
  if (label !== undefined) return { by: "hash", hash: hashOfLabel(label) };
  return filter === undefined ? ALL_ENDPOINTS : { by: "filter", filter };
}

/** `undefined`: all seconds. Throws `bad-parameter`. */
export function rangeOf({ from, until }: Part): SecondRange | undefined {
  if (from === undefined && until === undefined) return undefined;
  const range = { from: from ?? 0, until: until ?? 2 ** 32 };
  if (range.from < range.until) return range;
  const got = `got ${range.from} and ${range.until}`;
  throw new UserError("bad-parameter", `from must come before until, ${got}`);
}

interface RampedPart extends Part, Selected {
  readonly id: string;
  readonly skipStartSeconds: number;
  readonly skipEndSeconds: number;
}

/** The query of such a part. Throws errors of `readSteadyRange`. */
export async function queryOf(reader: LoadTestReader, part: RampedPart) {
  const { id, skipStartSeconds, skipEndSeconds } = part;
  const steady = { range: rangeOf(part), skipStartSeconds, skipEndSeconds };
  return {
    loadTestId: id,
    selection: selectionOf(part),
    range: await readSteadyRange(reader, id, steady),
  };
}

/** Input that limits the number of items, so that a model can read the response. */
export function limit(usual: number, most: number) {
  return z.int().min(1).max(most).default(usual).describe("maximum number of items");
}

/** The first items, and the number of the others. */
export function shortened<Item>(items: readonly Item[], max: number) {
  return { shown: items.slice(0, max), notShown: Math.max(0, items.length - max) };
}
