import { useEffect, useState } from "preact/hooks";
import { type Series, askEach } from "../../api/figures.ts";
import type { Statistic } from "../endpoints/endpoint-lines.ts";
import type { Preview, PreviewStand } from "./preview.ts";
import type { Sheet } from "./sheet.ts";
import { ApiError } from "../../api/client.ts";

/** How long the pointer must rest before a request is sent. */
const REST_MS = 150;

export interface Previewed {
  readonly series: Series;
  /** Seconds of a point. */
  readonly resolution: number;
}

/**
 * The series of the endpoint pointed at, unless it is drawn anyway. The table's own series is used if it has
 * the statistic in points at least as long as those drawn; otherwise it is requested while the pointer stays.
 */
export function usePreviewed(
  stand: PreviewStand,
  sheet: Sheet,
  statistic: Statistic,
  drawn: readonly string[],
): Previewed | undefined {
  const [pointed, setPreview] = useState(() => stand.current());
  useEffect(() => stand.listen(() => setPreview(stand.current())), [stand]);
  const [asked, setAsked] = useState<Previewed & { readonly sheet: Sheet }>();
  const isDrawn = pointed.hash !== undefined && drawn.includes(pointed.hash);
  const preview = isDrawn ? { ...pointed, hash: undefined } : pointed;
  const { hash } = preview;
  const isEnough = isEnoughFor(preview, sheet, statistic);
  const isKnown = asked?.series.hash === hash && asked?.sheet === sheet;
  useEffect(() => {
    if (hash === undefined || isEnough || isKnown) return undefined;
    const abort = new AbortController();
    const ask = async (): Promise<void> => {
      const resolution = longestOf(sheet);
      const scope = { ...sheet.scope, ...sheet.range, hashes: [hash] };
      const [series] = await askEach(scope, resolution, abort.signal, "50,95,99");
      if (series !== undefined) setAsked({ series, resolution, sheet });
    };
    const timer = setTimeout(() => ask().catch(passOver), REST_MS);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [hash, isEnough, isKnown, sheet]);
  if (hash === undefined) return undefined;
  const { series, resolution } = preview;
  if (isEnough && series !== undefined) return { series, resolution };
  return isKnown ? asked : undefined;
}

function isEnoughFor({ series, resolution }: Preview, sheet: Sheet, statistic: Statistic): boolean {
  const tells = statistic === "average" || series?.percentiles[statistic] !== undefined;
  return series !== undefined && tells && resolution >= longestOf(sheet);
}

/** Length of the longest points drawn, in seconds. */
function longestOf({ resolution, lineResolutions }: Sheet): number {
  return Math.max(resolution, ...lineResolutions);
}

/** Ignores an error if the view is complete without the answer. Rethrows all others. */
function passOver(error: unknown): void {
  if (error instanceof ApiError || (error instanceof DOMException && error.name === "AbortError")) {
    return;
  }
  throw error;
}
