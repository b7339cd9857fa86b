import type { Address } from "../../address/address.ts";
import type { Scope } from "../../api/figures.ts";

/** What the address of a load test says is to be shown. What is no scope is left out of it. */
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
  };
}

/** Whether everything is to be shown that there is of a load test. */
export function isEverything({ filter, hashes, from, until }: Scope): boolean {
  return filter === "" && hashes.length === 0 && from === undefined && until === undefined;
}

/** How many seconds up to the newest the address asks to follow; `undefined`: none. */
export function followedSeconds({ parameters }: Pick<Address, "parameters">): number | undefined {
  const text = parameters.get("last") ?? "";
  return /^[1-9]\d{0,5}$/.test(text) ? Number(text) : undefined;
}

/** The scope with a range that ends with the newest second, as far as something is there. */
export function followed(
  scope: Scope,
  seconds: number | undefined,
  whole: { readonly from: number; readonly until: number },
): Scope {
  if (seconds === undefined) return scope;
  return { ...scope, from: Math.max(whole.from, whole.until - seconds), until: whole.until };
}

const HASH = /^[0-9a-f]{40}$/;

/** Seconds of a point that people can read. */
export const RESOLUTIONS = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600];

/** The finest of these that is no finer than so many seconds. */
export function readableResolution(seconds: number): number {
  return RESOLUTIONS.find((each) => each >= seconds) ?? 3600;
}

const PIXELS_OF_A_POINT = 3;
/** Where a 95th percentile is shown: with fewer requests it is noise. */
const REQUESTS_OF_A_POINT = 100;
/** A range has at least so many points, as far as they can be that short. */
const POINTS_MIN = 30;

/**
 * The finest resolution that gives a point three pixels and a hundred requests: seconds, for a range
 * of so many seconds that holds so many requests, drawn so many pixels wide. It is a multiple of
 * `grainSeconds`.
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
  // Of few requests, better a noisy line than one that draws short events long.
  const coarsest =
    resolutions.findLast((seconds) => seconds * POINTS_MIN <= rangeSeconds) ?? grainSeconds;
  const fits = resolutions.find((seconds) => rangeSeconds / seconds <= points) ?? 3600;
  return Math.max(fits, Math.min(enough ?? coarsest, coarsest));
}
