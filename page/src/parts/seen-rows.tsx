import { useLayoutEffect, useState } from "preact/hooks";
import { useIsPrinted } from "./use-is-printed.ts";

/** Rows drawn above and below the visible ones. */
const SPARE_ROWS = 12;

/** Rows always drawn: a table below the window is still read aloud and reached by keys. */
const FIRST_ROWS = 24;

/** Most rows on paper. */
const PRINTED_ROWS = 2000;

/** Drawn rows of a long table: `[from, until)`. */
export interface SeenRows {
  readonly from: number;
  readonly until: number;
}

/** The rows of a table visible in the window, each `rowHeight` pixels high. */
export function useSeenRows(
  body: { readonly current: HTMLElement | null },
  rows: number,
  rowHeight: number,
): SeenRows {
  const [seen, setSeen] = useState({ from: 0, until: 60 });
  useLayoutEffect(() => {
    const look = (): void => {
      const top = body.current?.getBoundingClientRect().top ?? 0;
      const from = Math.max(0, Math.floor(-top / rowHeight) - SPARE_ROWS);
      const until = Math.ceil((innerHeight - top) / rowHeight) + SPARE_ROWS;
      setSeen((last) => (last.from === from && last.until === until ? last : { from, until }));
    };
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => {
      removeEventListener("scroll", look);
      removeEventListener("resize", look);
    };
  }, [rows]);
  if (useIsPrinted()) return { from: 0, until: Math.min(PRINTED_ROWS, rows) };
  return {
    from: Math.min(seen.from, rows),
    until: Math.min(Math.max(seen.until, FIRST_ROWS), rows),
  };
}

/** Fills the space of rows not drawn, in pixels. */
export function Spacer({ height }: { readonly height: number }) {
  if (height <= 0) return null;
  // One cell: spanning hidden columns would bring them back on narrow screens.
  return (
    <tr aria-hidden="true">
      <td style={{ height: `${height}px`, padding: 0 }} />
    </tr>
  );
}
