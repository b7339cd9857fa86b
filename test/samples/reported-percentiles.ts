/** Selects the percentiles that a tool itself reports, by label and window. */

import type { IndependentPercentile, IndependentSample } from "../independent/read-results.mjs";

export type Reported = readonly IndependentPercentile[];

/**
 * Those of a label or of the labels of several samples. For all samples, those over all requests if the tool
 * reports them; otherwise they are known only for a single label.
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

/**
 * Those of windows within a point of this length that are not shorter than it: a longer point would merge
 * several.
 */
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
