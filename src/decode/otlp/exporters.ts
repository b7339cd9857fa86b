import type { MetricPoint } from "./metric-points.ts";
import { isSameStart } from "./same-start.ts";

/** Points of one export have times that differ by less. */
const EXPORT_NANOS = 500_000_000n;

/** Processes with the same attributes, and starts of one whose series start at different times. */
const STARTS_MAX = 20;

/** A process, by the start of its series. */
export interface Exporter {
  readonly startNanos: bigint;
  readonly latestNanos: bigint;
  /** The time of the export before the latest one; 0: there was none. */
  readonly beforeNanos: bigint;
}

/** Notes a point of a process. Returns all starts of the process, and when this one has exported before. */
export function noteExport(
  all: readonly Exporter[],
  { startNanos, timeNanos }: Pick<MetricPoint, "startNanos" | "timeNanos">,
): { readonly all: readonly Exporter[]; readonly exportedBefore: bigint | undefined } {
  const known = all.find((each) => isSameStart(each.startNanos, startNanos));
  if (known === undefined) {
    const own = { startNanos, latestNanos: timeNanos, beforeNanos: 0n };
    return { all: [...all.slice(-STARTS_MAX), own], exportedBefore: undefined };
  }
  const isNext = timeNanos > known.latestNanos + EXPORT_NANOS;
  const own = isNext
    ? { startNanos: known.startNanos, latestNanos: timeNanos, beforeNanos: known.latestNanos }
    : known;
  const hasExported = own.beforeNanos > 0n && own.beforeNanos < timeNanos;
  return {
    all: isNext ? [...all.filter((each) => each !== known), own] : all,
    exportedBefore: hasExported ? own.beforeNanos : undefined,
  };
}
