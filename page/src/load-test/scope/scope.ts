import type { Address } from "../../address/address.ts";
import type { Outcome, Scope } from "../../api/figures.ts";
import { facetsIn } from "../../facets/facet-filter.ts";

/** The scope a load test's URL selects. Ignores other parameters. */
export function scopeOf(id: string, { parameters }: Pick<Address, "parameters">): Scope {
  const second = (name: string): number | undefined => {
    const text = parameters.get(name) ?? "";
    return /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  };
  const [from, until] = [second("from"), second("until")];
  const isRange = from === undefined || until === undefined || from < until;
  return {
    id,
    filter: parameters.get("filter") ?? "",
    hashes: (parameters.get("endpoints") ?? "").split(",").filter((each) => HASH.test(each)),
    from: isRange ? from : undefined,
    until: isRange ? until : undefined,
    outcome: outcomeOf(parameters.get("outcome")),
    ...facetsIn(parameters),
  };
}

function outcomeOf(text: string | undefined): Outcome | undefined {
  return text === "passed" || text === "failed" ? text : undefined;
}

/** Whether the scope is the whole load test. */
export function isEverything({ filter, hashes, from, until, outcome, where }: Scope): boolean {
  const isRange = from !== undefined || until !== undefined;
  return (
    filter === "" && hashes.length === 0 && !isRange && outcome === undefined && where === undefined
  );
}

/** Seconds up to the newest that the URL asks to follow; `undefined`: none. */
export function followedSeconds({ parameters }: Pick<Address, "parameters">): number | undefined {
  const text = parameters.get("last") ?? "";
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}

/** The scope with a range that ends at the newest second, within the data. */
export function followed(
  scope: Scope,
  seconds: number | undefined,
  whole: { readonly from: number; readonly until: number },
): Scope {
  if (seconds === undefined) return scope;
  return { ...scope, from: Math.max(whole.from, whole.until - seconds), until: whole.until };
}

const HASH = /^[0-9a-f]{40}$/;

/** Readable point lengths in seconds. */
export const RESOLUTIONS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

/** The finest readable length that is at least this many seconds. */
export function readableResolution(seconds: number): number {
  return RESOLUTIONS.find((each) => each >= seconds) ?? 3600;
}

const PIXELS_OF_A_POINT = 3;
/** Requests a point needs: with fewer, a 95th percentile is noise. */
const REQUESTS_OF_A_POINT = 100;
/** A range has at least this many points, if they can be that short. */
const POINTS_MIN = 30;

/**
 * The finest resolution in seconds that gives each point three pixels and a hundred requests. The range has
 * the given seconds, requests and pixels. A multiple of `grainSeconds`.
 */
export function resolutionFor(
  rangeSeconds: number,
  requests: number,
  widthPixels: number,
  grainSeconds = 1,
): number {
  const points = Math.max(1, widthPixels / PIXELS_OF_A_POINT);
  const resolutions = RESOLUTIONS.filter((seconds) => seconds % grainSeconds === 0);
  const enough = resolutions.find((seconds) => {
    const isWide = rangeSeconds / seconds <= points;
    return isWide && (requests / rangeSeconds) * seconds >= REQUESTS_OF_A_POINT;
  });
  // With few requests, a noisy line is better than one that stretches short events.
  const coarsest =
    resolutions.findLast((seconds) => seconds * POINTS_MIN <= rangeSeconds) ?? grainSeconds;
  const fits = resolutions.find((seconds) => rangeSeconds / seconds <= points) ?? 3600;
  return Math.max(fits, Math.min(enough ?? coarsest, coarsest));
}
