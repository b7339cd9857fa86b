import type { FormatAbout } from "./format-about.ts";
import type { Rejection } from "../model/import-report.ts";
import type { FailureKind } from "../model/failures.ts";
import type { NewLoadTestEvent } from "../model/measures/load-test-events.ts";
import type { MeasureSink } from "../model/measures/measure-table.ts";
import type { RepairKind } from "../model/quality/repairs.ts";
import type { Role } from "../model/role.ts";
import type { ReportedWindow } from "../model/reported-percentiles.ts";
import type { SourceQuality } from "../model/source-quality.ts";
import type { FacetLimits } from "../model/series/facets.ts";
import type { SampleTimes, UnreadRequest } from "../model/samples/request-sample.ts";
import type { SampleOptions } from "../model/samples/sample-choice.ts";
import type { SampleBatch, SampleWindow } from "../model/sample-batch.ts";

/** Decodes one kind of result file from plain bytes (decompressed, UTF-8, no byte order mark). */
export interface Format extends Pick<FormatAbout, "name" | "labelFields" | "needsStart"> {
  /** Whether a source that begins with `head` (at most 64 KiB) is of this kind. Must not throw. */
  recognises(head: Uint8Array): boolean;

  /** Whether `DecodeOptions.timestampFormat` is used. */
  readonly readsTimestampFormat?: true;

  /** Whether `Decoder.finish` needs a complete, trusted source, which can neither be followed nor uploaded. */
  readonly needsEnd?: true;

  /** The options have passed `checkLabelTemplate`. */
  open(sink: SampleSink, options: DecodeOptions): Decoder;
}

/** Receives what a decoder finds, in the order of the source. */
export interface SampleSink {
  /** Receives `batch.rows` rows; the decoder reuses the batch afterwards. */
  record(batch: SampleBatch): void;
  /** Receives a row of several merged requests; counts as one record. Throws `sum-too-large`. */
  recordWindow(window: SampleWindow): void;
  /** Why failed requests of `record` or `recordWindow` failed; `kind` is an index into `Decoder.failureKinds`. */
  recordFailure(label: number, second: number, kind: number, requests: number): void;
  /** Reports the active users of a load generator (index into `Decoder.generators`) in a UNIX second, at least 1. */
  recordActiveUsers(generator: number, second: number, active: number): void;
  /** Reports users that came and went, for sources without `recordActiveUsers`. */
  recordUserChanges(generator: number, second: number, started: number, ended: number): void;
  /** Reports that the source records response sizes. */
  confirmSizes(): void;
  recordPercentiles(reported: ReportedWindow): void;
  /** Takes requests whole where it wants them. Absent: it never does. */
  readonly samples?: SampleRecorder | undefined;
  /** Receives everything else that was measured; labels of series are indexes into `Decoder.labels`. */
  readonly measures: MeasureSink;
  /**
   * Receives every record of which not even the outcome can be read. `rows`: most rows that it may be made of, where a damaged
   * one has swallowed those behind it. @default 1
   */
  reject(rejection: Rejection, rows?: number): void;
  /** Receives the place of a row that is recorded although something of it is unknown; once for each kind. */
  repair(kind: RepairKind, place: Rejection): void;
}

/** Keeps some requests whole. */
export interface SampleRecorder {
  /** Set once, before anything else. Labels are indexes into `Decoder.labels`. */
  nameOf: (label: number) => string;
  /**
   * By label: the response time from which a passed request is wanted, 0 for a new label. A decoder need not ask for faster
   * ones. Replaced when there are more labels.
   */
  readonly slowestFrom: Float64Array;
  /** Whether `add` is worth it. `kind`: of a failed request. */
  wants(label: number, times: SampleTimes, kind?: FailureKind): boolean;
  add(label: number, request: UnreadRequest): void;
}

export const VALUE_UNITS = ["ns", "us", "ms"] as const;
export type ValueUnit = (typeof VALUE_UNITS)[number];

export interface DecodeOptions {
  /** IANA zone of timestamps without one, such as `Europe/Berlin`. */
  readonly timeZone: string;
  /** Start of the run in ms since the epoch, for sources with relative times; without it, requests are at second 0. */
  readonly startedAtMs?: number | undefined;
  /** Builds labels from fields (`LabelTemplate`). @default the format's rule */
  readonly labelTemplate?: string | undefined;
  readonly labels?: LabelOptions | undefined;
  /** @default no request is kept whole */
  readonly samples?: SampleOptions | undefined;
  /** @default those that the format has by itself */
  readonly facets?: FacetOptions | undefined;
  /** Labels whose rows are no requests; taken out after decoding. @default none */
  readonly choice?: LabelChoice | undefined;
  readonly lineProtocol?: LineProtocolOptions | undefined;
  /** Pattern of `TimestampFormat`, for formats that are `readsTimestampFormat`. @default the format's own */
  readonly timestampFormat?: string | undefined;
  /** Of the values of a format that is `needsUnit`. */
  readonly valueUnit?: ValueUnit | undefined;
  /** Encoding of a file without byte order mark, as `TextDecoder` names it; used before it is decoded. @default UTF-8 */
  readonly encoding?: string | undefined;
}

export interface FacetOptions {
  /** Tags, columns or attributes that are facets, too, where the source has them. @default none */
  readonly names?: readonly string[] | undefined;
  /** Whether only those are. @default false */
  readonly areOff?: boolean | undefined;
  /** @default `FACET_LIMITS` */
  readonly limits?: FacetLimits | undefined;
  /** Those of earlier parts of the source, to which this one adds its own. @default none */
  readonly values?: FacetValues | undefined;
}

/** Distinct values of facets by name: at most one more than `FACET_VALUES_MAX`. */
export type FacetValues = Map<string, Set<string>>;

/** Patterns of labels (`labelMatcher`) whose rows are no requests. */
export interface LabelChoice {
  /** Their times become measures of the run, in ms. @default none */
  readonly measured?: readonly string[] | undefined;
  /** They are left out. They come before `measured`. @default none */
  readonly ignored?: readonly string[] | undefined;
}

export interface LabelOptions {
  readonly grouping?: UrlGrouping | undefined;
  /**
   * Distinct labels of the source, its own overflow labels not counted. Each further one becomes an
   * overflow label, with an index after those of all distinct labels. @default all
   */
  readonly labelsMax?: number | undefined;
}

/** How URLs are grouped: docs/labels.md. */
export interface UrlGrouping {
  /** Whether ids and query values become `{id}`. */
  readonly ids: boolean;
  /** Paths such as `/products/*`, tried in this order before ids. */
  readonly rules: readonly string[];
}

export interface LineProtocolOptions {
  /** @default by the number of digits */
  readonly precision?: "ns" | "us" | "ms" | "s" | undefined;
  /** Seconds that JMeter gathers before it sends. @default measured, else 5 */
  readonly intervalSeconds?: number | undefined;
  /** Patterns of the labels of transactions (`labelMatcher`), which JMeter's listeners do not mark. @default none */
  readonly transactions?: readonly string[] | undefined;
}

/** Texts of labels that can be dropped, and read again from their bytes. */
export interface LabelTexts {
  /** Only grows. */
  readonly texts: readonly string[];
  /** The text at an index, dropped or not. */
  textOf(label: number): string;
  /** Drops those that `textOf` can read again: their places become empty. Indexes stay valid. */
  forgetTexts(): void;
}

/** Decodes one source in bounded memory: at most one record of 1 MiB is held. */
export interface Decoder {
  /** Labels so far; `SampleBatch.label` is an index into it. Only grows. */
  readonly labels: readonly string[];
  /** Unique; only grows. Empty if the source records none. */
  readonly failureKinds: readonly FailureKind[];
  /** Only grows. Empty if the source records no users. */
  readonly generators: readonly string[];

  /** For texts of labels that the caller has copied. Absent if the format needs them. */
  readonly labelTexts?: LabelTexts;

  /** Role of a label so far; it can only get stronger. Absent if all rows are requests. */
  roleOf?(label: number): Role;

  /** Decodes bytes, whose memory may be reused afterwards, the same for all chunk borders. Throws only `UserError`, if unreadable. */
  push(bytes: Uint8Array): void;

  /** Hands over all decoded rows that do not depend on later bytes. */
  flush(): void;

  /** Must be called once, after the last bytes. */
  end(): DecodeEnd;

  /** Called instead of `end` where it is there. Yields where samples should be flushed. Throws as `push`. */
  finish?(): AsyncGenerator<void, DecodeEnd>;
}

export interface DecodeEnd {
  /** The incomplete last record or missing end of the file; not passed to `sink.reject`. */
  readonly truncatedAt: Rejection | undefined;
  /** Hints for the reader, such as an assumed time zone. */
  readonly notes: readonly string[];
  /** What the source itself says about its quality, where that is known better than from its samples. */
  readonly quality?: Partial<SourceQuality>;
  readonly events?: readonly NewLoadTestEvent[];
}

/** Longer records are rejected. */
export const RECORD_BYTES_MAX = 1024 * 1024;

/** Longer labels are shortened. */
export { LABEL_BYTES_MAX } from "../model/label.ts";
