import { K6Metrics, type MetricKind } from "../k6/k6-metrics.ts";
import { type JmeterShape, jmeterShapeOf } from "./line-jmeter.ts";
import type { LinePoint } from "./line-point.ts";
import { isOwnRequest } from "./line-requests.ts";
import { quoted } from "../quoted.ts";

/** Bounds of value and time in a line. */
export interface LineTail {
  bytes: Uint8Array;
  valueFrom: number;
  valueTo: number;
  timeFrom: number;
  timeTo: number;
}

export type PointKind =
  | { readonly tool: "jmeter"; readonly shape: JmeterShape }
  | { readonly tool: "k6"; readonly metric: MetricKind }
  | { readonly tool: "own" }
  | { readonly tool: "none" };

/** Measurements counted by name; others are counted together. */
const MEASUREMENTS_MAX = 1000;
const MEASUREMENTS_NAMED = 10;

const FOREIGN: PointKind = { tool: "none" };
const OWN: PointKind = { tool: "own" };

/** Classifies points, and counts unknown ones. */
export class LineMeasurements {
  readonly #metrics = new K6Metrics();
  readonly #metricKinds = new Map<string, PointKind>();
  /** Points by measurement, and those over `MEASUREMENTS_MAX`. */
  readonly #foreign = new Map<string, number>();
  #unnamed = 0;

  /** Points that are not requests. */
  get foreignPoints(): number {
    return [...this.#foreign.values()].reduce((sum, count) => sum + count, this.#unnamed);
  }

  /** Classifies a point, and counts it if foreign. */
  take(point: LinePoint): PointKind {
    const kind = this.#kindOf(point);
    if (kind === FOREIGN) this.#countForeign(point);
    return kind;
  }

  isKnown(point: LinePoint): boolean {
    return this.#kindOf(point) !== FOREIGN || this.#foreign.has(point.measurement);
  }

  isK6(point: LinePoint): boolean {
    return this.#kindOf(point).tool === "k6";
  }

  notes(): string[] {
    const { foreignPoints } = this;
    if (foreignPoints === 0) return [];
    const names = [...this.#foreign].toSorted(([, left], [, right]) => right - left);
    const shown = names
      .slice(0, MEASUREMENTS_NAMED)
      .map(([name, count]) => `${quoted(name)} (${count})`);
    const more = names.length > MEASUREMENTS_NAMED ? " and more" : "";
    return [
      `points that are not requests: ${foreignPoints}, of the measurements ${shown.join(", ")}${more}`,
    ];
  }

  #kindOf(point: LinePoint): PointKind {
    const shape = jmeterShapeOf(point);
    if (shape !== undefined) return { tool: "jmeter", shape };
    if (isOwnRequest(point)) return OWN;
    const { measurement } = point;
    return this.#metricKinds.get(measurement) ?? this.#metricKindOf(measurement);
  }

  /** Only k6's own names are cached. */
  #metricKindOf(measurement: string): PointKind {
    const metric = this.#metrics.kindOf(measurement);
    if (metric === undefined) return FOREIGN;
    const kind = { tool: "k6", metric } as const;
    this.#metricKinds.set(measurement, kind);
    return kind;
  }

  #countForeign(point: LinePoint): void {
    const { measurement } = point;
    // JMeter marks begin and end of a run, which is not needed.
    if (measurement === "events" && point.field("text") !== undefined) return;
    const count = this.#foreign.get(measurement);
    if (count === undefined && this.#foreign.size >= MEASUREMENTS_MAX) this.#unnamed += 1;
    else this.#foreign.set(measurement, (count ?? 0) + 1);
  }
}
