import { badParameter } from "../../model/errors.ts";
import type { TagMatch } from "../../model/measures/measure-selector.ts";
import type { SecondRange } from "../../model/columns.ts";
import type { ComparedPart } from "../../analysis/compare/compare-side.ts";
import { ALL_ENDPOINTS, type EndpointSelection } from "../../series/endpoint-selection.ts";
import type { SteadyPart } from "../../series/overall.ts";
import type { LocationOptions } from "./opened-store.ts";

interface Bounds {
  readonly from?: number | undefined;
  readonly until?: number | undefined;
}

export interface FacetFlags {
  readonly where?: readonly TagMatch[];
  readonly by?: readonly string[];
}

export interface EndpointOptions extends FacetFlags {
  readonly filter?: string;
  readonly hash?: string;
  readonly count?: "requests" | "transactions";
}

export interface SelectionOptions extends LocationOptions, Bounds, EndpointOptions {}

export interface RampOptions {
  readonly skipStart?: number;
  readonly skipEnd?: number;
}

export function rampsOf({ skipStart = 0, skipEnd = 0 }: RampOptions): Omit<SteadyPart, "range"> {
  return { skipStartSeconds: skipStart, skipEndSeconds: skipEnd };
}

/** `undefined` without flags. Throws `bad-parameter`. */
export function selectionOf(options: EndpointOptions): EndpointSelection | undefined {
  const { filter, hash, where, by, count } = options;
  if (count === "transactions") {
    const { count: _, ...others } = options;
    return { ...(selectionOf(others) ?? ALL_ENDPOINTS), count };
  }
  if (filter !== undefined && hash !== undefined) {
    throw badParameter("expected either --filter or --hash");
  }
  if (filter === "") {
    throw badParameter("--filter is empty: expected a text");
  }
  if (filter !== undefined) return withFacetsOf(options, { by: "filter", filter });
  if (hash === undefined) {
    return (where ?? by) ? withFacetsOf(options, ALL_ENDPOINTS) : undefined;
  }
  if (!/^[0-9A-Fa-f]{40}$/.test(hash)) {
    throw badParameter(`--hash: expected 40 hex digits, got "${hash}"`);
  }
  return withFacetsOf(options, { by: "hash", hash: hash.toLowerCase() });
}

export function withFacetsOf(
  { where = [], by = [] }: FacetFlags,
  selection: EndpointSelection,
): EndpointSelection {
  return where.length + by.length === 0 ? selection : { ...selection, facets: { where, by } };
}

/** The part of a load test that the flags select, all endpoints by default. Throws `bad-parameter`. */
export function partOf(loadTestId: string, options: SelectionOptions & RampOptions): ComparedPart {
  const selection = selectionOf(options) ?? ALL_ENDPOINTS;
  return { loadTestId, selection, range: rangeOf(options), ...rampsOf(options) };
}

/** `undefined` without flags. Throws `bad-parameter`. */
export function rangeOf({ from, until }: Bounds): SecondRange | undefined {
  if (from === undefined && until === undefined) return undefined;
  const range = { from: from ?? 0, until: until ?? 2 ** 32 };
  if (range.from < range.until) return range;
  throw badParameter(`--from must come before --until, got ${range.from} and ${range.until}`);
}

export function noMatchHint(selection: EndpointSelection): string {
  const cure = '"tachograph labels ID" lists the labels of a run';
  if (selection.count) {
    return "no transaction matches; without --count transactions, requests count\n";
  }
  if (selection.by !== "filter" || selection.filter === "") return `no endpoint matches; ${cure}\n`;
  const { filter } = selection;
  return `no endpoint matches the filter ${JSON.stringify(filter)} (case-sensitive); ${cure}\n`;
}
