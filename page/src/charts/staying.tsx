import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

/** The share of the window that the chart and the scope's bar may take: a higher chart would hide too much of the page. */
const SHARE_MAX = 0.55;

/** Where a chart stays, in pixels below the scope's bar. */
interface Place {
  readonly left: number;
  readonly width: number;
  /** The height of the room that it leaves in the page. */
  readonly height: number;
}

/** A chart that stays below the bar of the scope when the page is scrolled past it, if there is room. */
export function Staying({ children }: { readonly children: ComponentChildren }) {
  const room = useRef<HTMLDivElement>(null);
  const chart = useRef<HTMLDivElement>(null);
  const [place, setPlace] = useState<Place>();
  useEffect(() => {
    const { style } = document.documentElement;
    const update = (): void => {
      if (room.current === null || chart.current === null) return;
      const { top, left, width, height } = room.current.getBoundingClientRect();
      const bar = document.querySelector(".scope")?.getBoundingClientRect();
      // Names above the plot do not stay.
      const names = chart.current.querySelector<HTMLElement>(".narrow > .line-names");
      const own = chart.current.offsetHeight - (names?.offsetHeight ?? 0);
      const hasRoom = (bar?.height ?? 0) + own <= SHARE_MAX * innerHeight;
      style.setProperty("--chart-height", hasRoom ? `${own}px` : "0px");
      const stays = hasRoom && top < Math.max(0, bar?.bottom ?? 0);
      setPlace((last) => {
        if (!stays) return undefined;
        return last?.left === left && last.width === width ? last : { left, width, height };
      });
    };
    const observer = new ResizeObserver(update);
    for (const { current } of [room, chart]) if (current !== null) observer.observe(current);
    addEventListener("scroll", update, { passive: true });
    addEventListener("resize", update);
    return () => {
      observer.disconnect();
      removeEventListener("scroll", update);
      removeEventListener("resize", update);
      style.removeProperty("--chart-height");
    };
  }, []);
  return (
    <div ref={room} style={place && { height: `${place.height}px` }}>
      <div
        ref={chart}
        class={place && "stays"}
        style={place && { left: `${place.left}px`, width: `${place.width}px` }}
      >
        {children}
      </div>
    </div>
  );
}
