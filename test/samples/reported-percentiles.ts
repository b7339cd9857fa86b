/** The percentiles that a tool states itself: whose they are, and of which time. */

import type { IndependentPercentile, IndependentSample } from "../independent/read-results.mjs";

export type Reported = readonly IndependentPercentile[];

/**
 * Those of a label, or of several samples' labels together: the tool states them of all requests, else
 * they are known where there is one label alone.
 */
export function reportedFor(
  reported: Reported,
  of: string | readonly IndependentSample[],
  isEverything: boolean,
): Reported {
  const ofAll = reported.filter(({ label }) => label === undefined);
  if (isEverything && ofAll.length > 0) return ofAll;
  const labels = typeof of === "string" ? [of] : [...new Set(of.map(({ label }) => label))];
  const [only, another] = labels;
  return another === undefined ? reported.filter(({ label }) => label === only && label) : [];
}

/** Those of windows that lie in a point so many seconds long: a longer point would merge several. */
export function reportedWindow(
  reported: Reported,
  point: { readonly second: number; readonly seconds: number },
): Reported {
  return reported.filter(({ window }) => {
    if (window === undefined || window.seconds < point.seconds) return false;
    const begin = Math.max(1, Math.floor(window.second / point.seconds) * point.seconds);
    return begin === point.second;
  });
}
