import { MeasurementCollector } from "../../import/measurement-collector.ts";
import type { FacetOptions } from "../../decode/decoder.ts";
import type { CumulativeSeries } from "../../decode/otlp/cumulative.ts";
import { DurationWindows } from "../../decode/otlp/duration-windows.ts";
import { MetricMeasures, SERVICES_MAX } from "../../decode/otlp/metric-measures.ts";
import type { MetricPoint, PointFault } from "../../decode/otlp/metric-points.ts";
import {
  betterSources,
  type Description,
  type OtlpBody,
  type OtlpPart,
  sourceOf,
} from "./otlp-body.ts";
import type { OtlpMemory } from "./memories.ts";

interface Windows {
  readonly description: Description;
  readonly collector: MeasurementCollector;
  readonly windows: DurationWindows;
}

/** The points of a body, and what is their source, as far as they are no requests. */
export interface MetricsGiven {
  readonly facets?: FacetOptions | undefined;
  readonly points: Iterable<MetricPoint | PointFault | undefined>;
  readonly source: string;
}

/** A body of metrics. */
export class MetricsBody implements OtlpBody {
  readonly #measures: MetricMeasures;
  readonly #memory: OtlpMemory;
  readonly #series: CumulativeSeries;
  readonly #collector = new MeasurementCollector({ isSmall: true });
  readonly #windows = new Map<string, Windows>();
  readonly #given: MetricsGiven;
  /** Of this process: another must know what counts from the beginning, even before there is a total. */
  readonly #isFirst: boolean;

  /** `sources`: those that the load test has; `undefined` in an environment, which has no requests. */
  constructor(memory: OtlpMemory, sources: ReadonlySet<string> | undefined, given: MetricsGiven) {
    this.#given = given;
    this.#memory = memory;
    this.#isFirst = !memory.hasStored;
    this.#series = memory.series.next();
    this.#measures = new MetricMeasures({
      sink: this.#collector,
      series: this.#series,
      windowsOf:
        sources &&
        ((description, service) => {
          const sourceId = sourceOf(description, service);
          const isDescribed = betterSources(sourceId).some((better) => sources.has(better));
          return isDescribed ? "described" : this.#windowsOf(sourceId, description);
        }),
    });
  }

  *read(): Generator<void> {
    for (const point of this.#given.points) {
      if (point !== undefined) this.#measures.take(point);
      yield;
    }
  }

  get rejected(): number {
    return this.#measures.refused;
  }

  get remarks(): readonly string[] {
    const all = [...this.#windows.values()];
    return [...this.#measures.remarks(), ...all.flatMap(({ windows }) => windows.facets.notes())];
  }

  get parts(): readonly OtlpPart[] {
    const tables = { labels: [], failureKinds: [], generators: [] };
    const { source } = this.#given;
    const measures = { sourceId: source, format: source, tables };
    const best = [...this.#windows].filter(([sourceId]) =>
      betterSources(sourceId).every((better) => !this.#windows.has(better)),
    );
    return [
      { ...measures, collector: this.#collector },
      ...best.map(([sourceId, { description, collector, windows }]) => ({
        sourceId,
        format: description,
        collector,
        tables: { ...tables, labels: windows.labels.texts, failureKinds: windows.kinds.kinds },
      })),
    ];
  }

  get totals(): string | undefined {
    return this.#series.hasChanged || this.#isFirst ? this.#series.write() : undefined;
  }

  commit(): void {
    this.#memory.series = this.#series;
  }

  #windowsOf(sourceId: string, description: Description): DurationWindows | "too-many" {
    const known = this.#windows.get(sourceId);
    if (known !== undefined) return known.windows;
    if (this.#windows.size === SERVICES_MAX) return "too-many";
    const collector = new MeasurementCollector({ isSmall: true });
    const windows = new DurationWindows(collector, this.#given.facets);
    this.#windows.set(sourceId, { description, collector, windows });
    return windows;
  }
}
