import { K6Metrics, type MetricKind } from "../k6/k6-metrics.ts";
import { type JmeterShape, jmeterShapeOf } from "./line-jmeter.ts";
import type { LinePoint } from "./line-point.ts";
import { quoted } from "../quoted.ts";

/** Where value and time of a line stand in its bytes. */
export interface LineTail {
  bytes: Uint8Array;
  valueFrom: number;
  valueTo: number;
  timeFrom: number;
  timeTo: number;
}

/** What a point is: something of JMeter, of k6, or of neither. */
export type PointKind =
  | { readonly tool: "jmeter"; readonly shape: JmeterShape }
  | { readonly tool: "k6"; readonly metric: MetricKind }
  | { readonly tool: "none" };

/** Measurements that are remembered by name; points of further ones are counted together. */
const MEASUREMENTS_MAX = 1000;
/** How many of them a note names. */
const MEASUREMENTS_NAMED = 10;

const FOREIGN: PointKind = { tool: "none" };

/** Tells points apart, and counts those of which nothing is known. */
export class LineMeasurements {
  readonly #metrics = new K6Metrics();
  readonly #metricKinds = new Map<string, PointKind>();
  /** Points by measurement, and those beyond `MEASUREMENTS_MAX`. */
  readonly #foreign = new Map<string, number>();
  #unnamed = 0;

  /** Points that neither k6 nor JMeter writes of its own accord: none of them is a request. */
  get foreignPoints(): number {
    return [...this.#foreign.values()].reduce((sum, count) => sum + count, this.#unnamed);
  }

  /** Tells what a point is, and counts it if it is foreign. */
  take(point: LinePoint): PointKind {
    const kind = this.#kindOf(point);
    if (kind === FOREIGN) this.#countForeign(point);
    return kind;
  }

  /** Whether a point of this measurement is no surprise. */
  isKnown(point: LinePoint): boolean {
    return this.#kindOf(point) !== FOREIGN || this.#foreign.has(point.measurement);
  }

  /** Whether it is k6 that writes such points. */
  isK6(point: LinePoint): boolean {
    return this.#kindOf(point).tool === "k6";
  }

  /** Names what was counted. */
  notes(): string[] {
    const { foreignPoints } = this;
    if (foreignPoints === 0) return [];
    const names = [...this.#foreign].toSorted(([, left], [, right]) => right - left);
    const shown = names
      .slice(0, MEASUREMENTS_NAMED)
      .map(([name, count]) => `${quoted(name)} (${count})`);
    const more = names.length > MEASUREMENTS_NAMED ? " and more" : "";
    return [
      `points that are no requests: ${foreignPoints}, of the measurements ${shown.join(", ")}${more}`,
    ];
  }

  #kindOf(point: LinePoint): PointKind {
    const shape = jmeterShapeOf(point);
    if (shape !== undefined) return { tool: "jmeter", shape };
    const { measurement } = point;
    return this.#metricKinds.get(measurement) ?? this.#metricKindOf(measurement);
  }

  /** Only k6's own names are remembered: there are few of them. */
  #metricKindOf(measurement: string): PointKind {
    const metric = this.#metrics.kindOf(measurement);
    if (metric === undefined) return FOREIGN;
    const kind = { tool: "k6", metric } as const;
    this.#metricKinds.set(measurement, kind);
    return kind;
  }

  #countForeign(point: LinePoint): void {
    const { measurement } = point;
    // JMeter tells the beginning and the end of a run; nothing is missed without it.
    if (measurement === "events" && point.field("text") !== undefined) return;
    const count = this.#foreign.get(measurement);
    if (count === undefined && this.#foreign.size >= MEASUREMENTS_MAX) this.#unnamed += 1;
    else this.#foreign.set(measurement, (count ?? 0) + 1);
  }
}
