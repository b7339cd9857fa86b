import { useEffect, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { lookOf } from "./chart-line.ts";
import { type CursorParts, showCursor } from "./cursor.ts";
import { createChart, feedChart, fitChart, moveCursor } from "./draw-chart.ts";
import { namedLines, nameTops } from "./line-ends.ts";
import type { TimeChartProps } from "./time-chart-props.ts";

/** Draws a chart into `holder` and keeps it in line with the props. */
export function useChart(props: TimeChartProps) {
  const latest = useRef(props);
  latest.current = props;
  const holder = useRef<HTMLDivElement>(null);
  const parts: CursorParts = {
    readout: usePart(),
    hairline: usePart(),
    time: usePart(),
    outline: usePart(),
  };
  const drawn = useRef<uPlot | null>(null);
  const shown = useRef(props);
  const [tops, setTops] = useState<readonly number[]>([]);
  const { seconds } = props;
  useEffect(() => {
    const { current: place } = holder;
    if (place === null) return undefined;
    const create = (): void => {
      drawn.current?.destroy();
      shown.current = latest.current;
      drawn.current = createChart(place, () => latest.current, {
        onDrawn: (chart) => {
          const next = nameTops(chart, namedLines(latest.current.lines));
          setTops((last) => (last.join() === next.join() ? last : next));
        },
        onCursor: (chart) => showCursor(chart, parts, latest.current),
      });
    };
    create();
    const observer = new ResizeObserver(() => {
      if (drawn.current !== null) fitChart(drawn.current, place, latest.current.height);
    });
    observer.observe(place);
    addEventListener("tachograph-theme", create);
    return () => {
      observer.disconnect();
      removeEventListener("tachograph-theme", create);
      drawn.current?.destroy();
      drawn.current = null;
    };
  }, [frameOf(props)]);
  useEffect(() => {
    if (drawn.current !== null && shown.current !== props) feedChart(drawn.current, props);
  }, [...fedWith(props)]);
  const moveTo = (index: number | undefined): void => {
    const [begin, end] = [seconds[index ?? 0] ?? 0, seconds[(index ?? 0) + 1] ?? 0];
    if (drawn.current !== null) {
      moveCursor(drawn.current, index === undefined ? undefined : (begin + end) / 2);
    }
  };
  return { holder, parts, tops, moveTo };
}

function usePart() {
  return useRef<HTMLDivElement>(null);
}

/** Changes of these need a new chart. */
function frameOf(props: TimeChartProps): string {
  const { lines, hidden, isLogarithmic, areNamesLong, isNarrow } = props;
  const looks = lines.map((line) => [lookOf(line), hidden.has(line.name)]);
  const { hasTimeAxis, hasMarkNumbers, height } = props;
  return JSON.stringify([
    looks,
    height,
    isLogarithmic,
    areNamesLong,
    isNarrow,
    hasTimeAxis,
    hasMarkNumbers,
  ]);
}

/** Changes of these do not. */
function fedWith(props: TimeChartProps): readonly unknown[] {
  const { lines, seconds, formatTime, clockOrigin, drawUnder, valueRange, marks } = props;
  const { endsAt, rug, box } = props;
  const { from, until, low, high } = box ?? {};
  const clock = [formatTime, clockOrigin];
  const drawn = [lines, seconds, ...clock, drawUnder, valueRange?.join(), marks?.join()];
  return [...drawn, endsAt, rug, props.flags, from, until, low, high];
}
