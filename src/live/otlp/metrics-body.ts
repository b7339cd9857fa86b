import { MeasurementCollector } from "../../import/measurement-collector.ts";
import type { CumulativeSeries } from "../../decode/otlp/cumulative.ts";
import { DurationWindows } from "../../decode/otlp/duration-windows.ts";
import { MetricMeasures } from "../../decode/otlp/metric-measures.ts";
import { metricPoints } from "../../decode/otlp/metric-points.ts";
import { type OtlpForm, readMetrics } from "../../decode/otlp/read-body.ts";
import {
  betterSources,
  type Description,
  METRICS_SOURCE,
  type OtlpBody,
  type OtlpMemory,
  type OtlpPart,
  sourceOf,
} from "./otlp-body.ts";

interface Windows {
  readonly description: Description;
  readonly collector: MeasurementCollector;
  readonly windows: DurationWindows;
}

/** A body of metrics. */
export class MetricsBody implements OtlpBody {
  readonly remarks: readonly string[];
  readonly #memory: OtlpMemory;
  readonly #series: CumulativeSeries;
  readonly #collector = new MeasurementCollector({ isSmall: true });
  readonly #windows = new Map<string, Windows>();

  /** `sources`: those that the load test has; `undefined` in an environment, which has no requests. Throws `bad-batch`. */
  constructor(
    body: Uint8Array,
    form: OtlpForm,
    memory: OtlpMemory,
    sources: ReadonlySet<string> | undefined,
  ) {
    this.#memory = memory;
    this.#series = memory.series.next();
    const measures = new MetricMeasures({
      sink: this.#collector,
      series: this.#series,
      windowsOf:
        sources &&
        ((description, service) => {
          const sourceId = sourceOf(description, service);
          const isDescribed = betterSources(sourceId).some((better) => sources.has(better));
          return isDescribed ? undefined : this.#windowsOf(sourceId, description);
        }),
    });
    for (const point of metricPoints(readMetrics(body, form))) measures.take(point);
    this.remarks = measures.remarks();
  }

  get parts(): readonly OtlpPart[] {
    const tables = { labels: [], failureKinds: [], generators: [] };
    const measures = { sourceId: METRICS_SOURCE, format: METRICS_SOURCE, tables };
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
    return this.#series.hasChanged ? this.#series.write() : undefined;
  }

  commit(): void {
    this.#memory.series = this.#series;
  }

  #windowsOf(sourceId: string, description: Description): DurationWindows {
    const known = this.#windows.get(sourceId);
    if (known !== undefined) return known.windows;
    const collector = new MeasurementCollector({ isSmall: true });
    const windows = new DurationWindows(collector);
    this.#windows.set(sourceId, { description, collector, windows });
    return windows;
  }
}
