import { readFileSync } from "node:fs";
import path from "node:path";

const FOLDER = path.join(import.meta.dirname, "../../examples/demo");

/** The row of `jmeter -g` for one label. */
export interface JmeterStatistics {
  readonly sampleCount: number;
  readonly errorCount: number;
  readonly meanResTime: number;
  readonly minResTime: number;
  readonly maxResTime: number;
  readonly medianResTime: number;
  readonly pct1ResTime: number;
  readonly pct2ResTime: number;
  readonly pct3ResTime: number;
}

/** The bundled recording, compressed as in the repository. */
export function readRecording(): Uint8Array {
  return readFileSync(path.join(FOLDER, "shop.jtl.gz"));
}

/** JMeter's own figures of the recording, by label; its `Total` leaves transactions out. */
export function readStatistics(): Map<string, JmeterStatistics> {
  const text = readFileSync(path.join(FOLDER, "shop.statistics.json"), "utf8");
  return new Map(Object.entries(JSON.parse(text) as Record<string, JmeterStatistics>));
}

/** The percentiles that JMeter reports, by name, as shares of the requests. */
export function percentilesOf(statistics: JmeterStatistics): { q: number; ms: number }[] {
  return [
    { q: 0.5, ms: statistics.medianResTime },
    { q: 0.9, ms: statistics.pct1ResTime },
    { q: 0.95, ms: statistics.pct2ResTime },
    { q: 0.99, ms: statistics.pct3ResTime },
  ];
}

/**
 * The two neighbours in `sorted` between which JMeter interpolates, and the weight of the second.
 */
export function neighboursOf(
  sorted: readonly number[],
  q: number,
): { lower: number; upper: number; interpolated: number } {
  const position = q * (sorted.length + 1);
  const rank = Math.min(sorted.length, Math.max(1, Math.floor(position)));
  const lower = sorted[rank - 1] ?? 0;
  const upper = sorted[rank] ?? lower;
  return { lower, upper, interpolated: lower + (position - rank) * (upper - lower) };
}
