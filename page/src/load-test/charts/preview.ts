/** Which endpoint the pointer or the focus rests on, between the table and the charts. */

import type { Series } from "../../api/figures.ts";

/** Small series that the table has anyway. */
interface Sparklines {
  readonly series: ReadonlyMap<string, Series>;
}

export interface Preview {
  /** Hash of the endpoint; `undefined` where there is none (any more). */
  readonly hash: string | undefined;
  /** Its series as far as it is there already, in windows of `resolution` seconds. */
  readonly series: Series | undefined;
  readonly resolution: number;
}

export interface PreviewStand {
  current(): Preview;
  /** Says where the pointer or the focus is. */
  point(hash: string | undefined): void;
  /** Gives what is there without asking. */
  put(sparklines: Sparklines, resolution: number): void;
  /** Calls back after each change, until the function that is returned is called. */
  listen(listener: () => void): () => void;
}

export function createPreviewStand(): PreviewStand {
  const listeners = new Set<() => void>();
  let preview: Preview = { hash: undefined, series: undefined, resolution: 1 };
  let known: ReadonlyMap<string, Series> = new Map();
  const change = (next: Pick<Preview, "hash" | "resolution">): void => {
    const series = next.hash === undefined ? undefined : known.get(next.hash);
    const { hash, resolution } = next;
    if (hash === preview.hash && series === preview.series && resolution === preview.resolution) {
      return;
    }
    preview = { hash, series, resolution };
    for (const listener of listeners) listener();
  };
  return {
    current: () => preview,
    point: (hash) => change({ hash, resolution: preview.resolution }),
    put(sparklines, resolution) {
      known = sparklines.series;
      change({ hash: preview.hash, resolution });
    },
    listen(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
