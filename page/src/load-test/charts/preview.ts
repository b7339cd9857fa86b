/** The endpoint under the pointer or focus, shared between table and charts. */

import type { Series } from "../../api/figures.ts";

/** Sparkline series that the table already has. */
interface Sparklines {
  readonly series: ReadonlyMap<string, Series>;
}

export interface Preview {
  /** Hash of the endpoint; `undefined` if there is none. */
  readonly hash: string | undefined;
  /** The part of its series already loaded, in windows of `resolution` seconds. */
  readonly series: Series | undefined;
  readonly resolution: number;
}

export interface PreviewStand {
  current(): Preview;
  /** Sets the endpoint under the pointer or focus. */
  point(hash: string | undefined): void;
  /** Adds series that are already loaded. */
  put(sparklines: Sparklines, resolution: number): void;
  /** Calls back after each change, until the returned function is called. */
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
