import { isMeasureOfK6 } from "../k6/k6-measures.ts";
import { BUILT_IN, type MetricKind } from "../k6/k6-metrics.ts";
import { type JmeterShape, isNbomberStep, jmeterShapeOf } from "./line-jmeter.ts";
import { type PluginShape, pluginShapeOf } from "./line-jmeter-plugin.ts";
import type { LinePoint } from "./line-point.ts";
import { isOwnRequest } from "./line-requests.ts";
import { quoted } from "../quoted.ts";

export type PointKind =
  | { readonly tool: "jmeter"; readonly shape: JmeterShape }
  | { readonly tool: "jmeter-plugin"; readonly shape: PluginShape }
  | { readonly tool: "k6"; readonly metric: MetricKind }
  | { readonly tool: "own" }
  | { readonly tool: "nbomber" }
  | { readonly tool: "event" }
  | { readonly tool: "none" };

/** Measurements counted by name; others are counted together. */
const MEASUREMENTS_MAX = 1000;
const MEASUREMENTS_NAMED = 10;

const MEASURED: PointKind = { tool: "none" };
const OWN: PointKind = { tool: "own" };
const NBOMBER: PointKind = { tool: "nbomber" };
const EVENT: PointKind = { tool: "event" };
const MEASURE_OF_K6: PointKind = { tool: "k6", metric: "other" };
const OF_K6 = new Map<string, PointKind>(
  BUILT_IN.map(([name, metric]) => [name, { tool: "k6", metric }]),
);

/** Classifies points, and counts those of unknown measurements. */
export class LineMeasurements {
  /** Points by measurement, and those over `MEASUREMENTS_MAX`. */
  readonly #measured = new Map<string, number>();
  #unnamed = 0;

  /** Points of unknown measurements, which are measures. */
  get measuredPoints(): number {
    return [...this.#measured.values()].reduce((sum, count) => sum + count, this.#unnamed);
  }

  /** Classifies a point, and counts it if its measurement is unknown. */
  take(point: LinePoint): PointKind {
    const kind = this.#kindOf(point);
    if (kind === MEASURED) this.#countMeasured(point);
    return kind;
  }

  isKnown(point: LinePoint): boolean {
    return this.#kindOf(point) !== MEASURED || this.#measured.has(point.measurement);
  }

  isK6(point: LinePoint): boolean {
    return this.#kindOf(point).tool === "k6";
  }

  notes(): string[] {
    const { measuredPoints } = this;
    if (measuredPoints === 0) return [];
    const names = [...this.#measured].toSorted(([, left], [, right]) => right - left);
    const shown = names
      .slice(0, MEASUREMENTS_NAMED)
      .map(([name, count]) => `${quoted(name)} (${count})`);
    const more = names.length > MEASUREMENTS_NAMED ? " and more" : "";
    return [
      `points stored as measures: ${measuredPoints}, of the measurements ${shown.join(", ")}${more}`,
    ];
  }

  #kindOf(point: LinePoint): PointKind {
    const shape = jmeterShapeOf(point);
    if (shape !== undefined) return { tool: "jmeter", shape };
    if (isOwnRequest(point)) return OWN;
    if (isNbomberStep(point)) return NBOMBER;
    const ofPlugin = pluginShapeOf(point);
    if (ofPlugin !== undefined) return { tool: "jmeter-plugin", shape: ofPlugin };
    // JMeter marks the beginning and the end of a run.
    if (point.measurement === "events" && point.field("text") !== undefined) return EVENT;
    const { measurement } = point;
    return OF_K6.get(measurement) ?? (isMeasureOfK6(measurement) ? MEASURE_OF_K6 : MEASURED);
  }

  #countMeasured(point: LinePoint): void {
    const { measurement } = point;
    const count = this.#measured.get(measurement);
    if (count === undefined && this.#measured.size >= MEASUREMENTS_MAX) this.#unnamed += 1;
    else this.#measured.set(measurement, (count ?? 0) + 1);
  }
}
