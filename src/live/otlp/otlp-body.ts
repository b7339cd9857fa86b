import type { CollectorTables, MeasurementCollector } from "../../import/measurement-collector.ts";
import type { RowQuality } from "../../model/quality/row-quality.ts";
import { idFrom } from "../../model/id.ts";

/** What describes the requests of a service, the best first: all of them describe the same requests. */
const DESCRIPTIONS = ["otlp-spans", "otlp-tool-histogram", "otlp-client-histogram"] as const;

export type Description = (typeof DESCRIPTIONS)[number];

/** Format and source of everything but requests. */
export const METRICS_SOURCE = "otlp-metrics";

/** The same by remote write: of k6, if it sends no requests, and of all others. */
export const REMOTE_WRITE_SOURCES = ["k6-prometheus", "prometheus"] as const;

export interface OtlpPart {
  readonly format: string;
  readonly sourceId: string;
  readonly collector: MeasurementCollector;
  readonly tables: CollectorTables;
  /** What became of further rows. */
  readonly rows?: Partial<RowQuality> | undefined;
}

/** A body, to be read before anything else is asked. */
export interface OtlpBody {
  /** Yields between short pieces of work. Throws `bad-batch`. */
  read(): Generator<void>;
  readonly parts: readonly OtlpPart[];
  /** Spans or values that are in none of the parts. */
  readonly rejected: number;
  readonly remarks: readonly string[];
  /** Totals to go on from, once all parts are stored; `undefined` if they have not changed. */
  readonly totals?: string | undefined;
  /** Must be called when all parts are stored, or with the sources of those that are. */
  commit(sourceIds?: ReadonlySet<string>): void;
}

const SERVICE_LENGTH_MAX = 60;

export function sourceOf(description: Description, service: string): string {
  return `${description}.${idFrom(service.slice(0, SERVICE_LENGTH_MAX).toLowerCase()) ?? "unnamed"}`;
}

/** Sources of worse descriptions of the same requests; `undefined` for a source of another kind. */
export function worseSources(sourceId: string): readonly string[] {
  return descriptionsBeside(sourceId, (own, other) => other > own);
}

export function betterSources(sourceId: string): readonly string[] {
  return descriptionsBeside(sourceId, (own, other) => other < own);
}

function descriptionsBeside(
  sourceId: string,
  isWanted: (own: number, other: number) => boolean,
): readonly string[] {
  const own = DESCRIPTIONS.findIndex((description) => sourceId.startsWith(`${description}.`));
  if (own === -1) return [];
  const service = sourceId.slice((DESCRIPTIONS[own] as string).length);
  return DESCRIPTIONS.filter((_, other) => isWanted(own, other)).map((each) => each + service);
}
