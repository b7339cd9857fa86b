import type { Rejection } from "../model/import-report.ts";
import type { FailureKind } from "../model/failures.ts";
import type { Role } from "../model/role.ts";
import type { ReportedWindow } from "../model/reported-percentiles.ts";
import type { SampleBatch, SampleWindow } from "../model/sample-batch.ts";

/**
 * Port: the decoder of one kind of result file. It sees plain bytes (decompressed, UTF-8, without a
 * byte order mark) and knows no file, socket or clock.
 */
export interface Format {
  /** Name shown to users, such as `jmeter-csv`. */
  readonly name: string;

  /**
   * Whether a source that begins with `head` is of this kind. `head` holds the first 64 KiB, or all
   * of a shorter source. Must not throw and must not depend on a file's name.
   */
  recognises(head: Uint8Array): boolean;

  /**
   * What a label template may name: these fields of a record, or the columns of a source's header,
   * which are checked when that is read. Absent: the labels of this format cannot be chosen.
   */
  readonly labelFields?: readonly string[] | "columns";

  /** Whether its sources tell only the time since the run began: `DecodeOptions.startedAtMs`. */
  readonly needsStart?: true;

  /** Begins to decode one source; `checkLabelTemplate` has found nothing wrong with the options. */
  open(sink: SampleSink, options: DecodeOptions): Decoder;
}

/** Takes what a decoder finds, in the order of the source. */
export interface SampleSink {
  /** Takes the first `batch.rows` rows; the decoder reuses the batch after this call. */
  record(batch: SampleBatch): void;
  /** Takes a row that a source has merged of several requests; counted as one record. */
  recordWindow(window: SampleWindow): void;
  /**
   * Says why `requests` of an endpoint's failed requests failed; they are counted in `record` or
   * `recordWindow` too. `kind` is an index into `Decoder.failureKinds`. A source that does not tell
   * says nothing.
   */
  recordFailure(label: number, second: number, kind: number, requests: number): void;
  /**
   * Says that a load generator had `active` users at some instant of a second (UNIX, at least 1).
   * `generator` is an index into `Decoder.generators`.
   */
  recordActiveUsers(generator: number, second: number, active: number): void;
  /** Says that users came and went in a second: instead of `recordActiveUsers`, not beside it. */
  recordUserChanges(generator: number, second: number, started: number, ended: number): void;
  /** Says that the source records response sizes; a source without them never says it. */
  confirmSizes(): void;
  /** Takes percentiles that the load tool computed itself. */
  recordPercentiles(reported: ReportedWindow): void;
  /** Takes one record that could not be read. Every such record is given, none is skipped. */
  reject(rejection: Rejection): void;
}

export interface DecodeOptions {
  /** IANA zone of timestamps that are written without one, such as `Europe/Berlin`. */
  readonly timeZone: string;
  /**
   * When the run began, milliseconds since the epoch: for sources that only tell the time since
   * then. Where it is not given, their requests stand at second 0.
   */
  readonly startedAtMs?: number | undefined;
  /** How labels are put together of a record's fields (`LabelTemplate`). @default the format's rule */
  readonly labelTemplate?: string | undefined;
  readonly labels?: LabelOptions | undefined;
  readonly lineProtocol?: LineProtocolOptions | undefined;
}

/** What becomes of labels, whatever they are made of. */
export interface LabelOptions {
  readonly grouping?: UrlGrouping | undefined;
  /**
   * Distinct labels of the source, its own overflow labels not counted. Each further one becomes an
   * overflow label, with an index after those of all distinct labels. @default all
   */
  readonly labelsMax?: number | undefined;
}

/** Which labels that are URLs become one: docs/labels.md. */
export interface UrlGrouping {
  /** Whether `{id}` stands for what looks like an id, and for the values of queries. */
  readonly ids: boolean;
  /** Paths such as `/products/*`, tried in this order before ids are looked for. */
  readonly rules: readonly string[];
}

/** What the sender of line protocol says beside it. */
export interface LineProtocolOptions {
  /** Unit of the timestamps. @default told by their number of digits */
  readonly precision?: "ns" | "us" | "ms" | "s" | undefined;
  /**
   * How many seconds JMeter gathers before it sends. @default the time since it sent before, where
   * the source shows that, else 5
   */
  readonly intervalSeconds?: number | undefined;
}

/** Decodes one source, piece by piece, in bounded memory (one record of at most 1 MiB is held). */
export interface Decoder {
  /** Labels found so far; `SampleBatch.label` is an index into it. Only ever grows. */
  readonly labels: readonly string[];
  /** Kinds of failures found so far, each once; only ever grows. Empty where a source tells none. */
  readonly failureKinds: readonly FailureKind[];
  /** Load generators found so far; only ever grows. Empty where a source tells no users. */
  readonly generators: readonly string[];

  /**
   * Lets go of the texts of labels that somebody else has taken, so that they are not in memory twice:
   * their places in `labels` are empty afterwards. Absent where a format goes on reading them.
   */
  forgetLabels?(): void;

  /**
   * What the rows under a label are, by all that was decoded until now; later rows can only make it
   * stronger. Absent where a format has rows of requests alone, or cannot tell.
   */
  roleOf?(label: number): Role;

  /**
   * Decodes further bytes; the caller may use their memory again afterwards. How a source is cut into pieces must not change what the sink gets.
   * Never throws for what the bytes hold, except a `UserError` where the whole source turns out to
   * be unreadable (a header without a time column, a DOCTYPE).
   */
  push(bytes: Uint8Array): void;

  /**
   * Hands over what is decoded and waits only for a batch to fill: for sources that are read while
   * they grow. Changes nothing else; what needs later bytes to be judged goes on waiting.
   */
  flush(): void;

  /** Decodes what is left and hands over the last batch. To be called once, after the last bytes. */
  end(): DecodeEnd;
}

export interface DecodeEnd {
  /** The last, incomplete record or the missing close of the file; not given to `sink.reject`. */
  readonly cut: Rejection | undefined;
  /** What a reader of the numbers should know: an assumed time zone, what the format lacks. */
  readonly notes: readonly string[];
}

/** Longest record that is read; a longer one is rejected and skipped to its end. */
export const RECORD_BYTES_MAX = 1024 * 1024;

/** A record with a longer label is rejected. */
export { LABEL_BYTES_MAX } from "../model/label.ts";
