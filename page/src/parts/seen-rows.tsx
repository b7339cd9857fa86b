import { useLayoutEffect, useState } from "preact/hooks";

/** Rows drawn above and below those that are seen. */
const SPARE_ROWS = 12;

/** Rows drawn in any case: a table below what the window shows is still read, and reached by keys. */
const FIRST_ROWS = 24;

/** Rows of a long table that are drawn: `[from, until)`. */
export interface SeenRows {
  readonly from: number;
  readonly until: number;
}

/** Which rows of a table the window shows, each `rowHeight` pixels high. */
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
  return {
    from: Math.min(seen.from, rows),
    until: Math.min(Math.max(seen.until, FIRST_ROWS), rows),
  };
}

/** Stands in for rows that are not drawn, in pixels. */
export function Spacer({ height }: { readonly height: number }) {
  if (height <= 0) return null;
  // One cell: spanning the columns that narrow screens hide would bring them back.
  return (
    <tr aria-hidden="true">
      <td style={{ height: `${height}px`, padding: 0 }} />
    </tr>
  );
}
