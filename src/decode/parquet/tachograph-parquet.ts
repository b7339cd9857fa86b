import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { UserError, errorMessage } from "../../model/errors.ts";
import type { FailureKind } from "../../model/failures.ts";
import { membersIn, parsedJson } from "../../model/json-text.ts";
import { LABEL_BYTES_MAX } from "../../model/label.ts";
import { addValue, asDecimal } from "../../model/measures/decimal-sum.ts";
import {
  MEASURE_KINDS,
  type MeasureSeries,
  type MeasureTable,
  NO_MEASURES,
  measureColumns,
} from "../../model/measures/measure-table.ts";
import { keyOfSeries } from "../../model/measures/merge-measures.ts";
import { isUnstored } from "../../model/measures/series-limits.ts";
import { valueBucketMiddle, valueBucketOf } from "../../model/measures/value-buckets.ts";
import { isRowQuality } from "../../model/quality/row-quality.ts";
import { decodeReported, rowsOf } from "../../model/reported-percentiles.ts";
import { ROLES, type Role, strongerRole } from "../../model/role.ts";
import { GrowingTable } from "../../model/row-groups.ts";
import { partsOfSeries, seriesName } from "../../model/series/facets.ts";
import { UNRECORDED, isExtent } from "../../model/source-quality.ts";
import type { DecodeEnd, Decoder, FacetOptions, Format, SampleSink } from "../decoder.ts";
import { TACHOGRAPH_PARQUET } from "./about.ts";
import { isIntact } from "./file-digest.ts";
import { type ExportMetadata, METADATA_VERSION } from "./parquet-columns.ts";
import type { Damage, ParquetOrder, ParquetReply, RowGroup } from "./parquet-worker.ts";
import { readWindows } from "./read-window.ts";
import { type Columns, RowReader, unreadableParquet } from "./row-reader.ts";

const MAGIC = Buffer.from("PAR1");

/** Runs that `tachograph export` wrote. */
export const tachographParquet: Format = {
  ...TACHOGRAPH_PARQUET,
  needsEnd: true,
  recognises: (head) => MAGIC.equals(head.subarray(0, MAGIC.length)),
  open: (sink, { facets }) => new ParquetDecoder(sink, facets),
};

/** The file is held in memory: its footer says where everything is. */
const FILE_BYTES_MAX = 1024 * 1024 * 1024;

class ParquetDecoder implements Decoder {
  readonly #sink: SampleSink;
  readonly #facets: FacetOptions;
  readonly #chunks: Uint8Array[] = [];
  #sizeBytes = 0;
  readonly #labels = new GrowingTable<string>(String);
  readonly #roles: Role[] = [];
  /** Of the requests of a label, with any facets. */
  readonly #roleOfLabel = new Map<string, Role>();
  readonly #kinds = new GrowingTable<FailureKind>(
    ({ code, message }) => `${code.length} ${code}${message}`,
  );
  readonly #generators = new GrowingTable<string>(String);

  constructor(sink: SampleSink, facets: FacetOptions = {}) {
    this.#sink = sink;
    this.#facets = facets;
  }

  get labels(): readonly string[] {
    return this.#labels.entries;
  }

  get failureKinds(): readonly FailureKind[] {
    return this.#kinds.entries;
  }

  get generators(): readonly string[] {
    return this.#generators.entries;
  }

  roleOf(label: number): Role {
    return this.#roles[label] ?? "request";
  }

  push(bytes: Uint8Array): void {
    this.#sizeBytes += bytes.length;
    if (this.#sizeBytes > FILE_BYTES_MAX) {
      throw unreadableParquet("expected at most 1 GiB: export the run again, or copy the store");
    }
    // Of a Buffer, `slice` would not be a copy.
    this.#chunks.push(new Uint8Array(bytes));
  }

  flush(): void {
    // Nothing is known before the end.
  }

  async *finish(): AsyncGenerator<void, DecodeEnd> {
    const bytes = this.#takeBytes();
    requireIntact(bytes);
    const file = await openParquetFile(bytes);
    try {
      const metadata = metadataOf(file);
      for (const group of file.groups) {
        this.#recordGroup(new RowReader(await file.read(group), group.rowStart));
        yield;
      }
      return this.#endOf(metadata);
    } finally {
      file.close();
    }
  }

  #recordGroup(rows: RowReader): void {
    const measures = new MeasureRows();
    for (let row = 0; row < rows.rows; row++) {
      rows.goTo(row);
      if (rows.isNull("measure")) this.#record(rows);
      else measures.add(rows, this.#labelOfMeasure(rows));
    }
    this.#sink.measures.addTable(measures.table());
  }

  #endOf(metadata: ExportMetadata): DecodeEnd {
    this.#recordReported(metadata);
    const { unstored } = metadata;
    if (unstored !== undefined) this.#sink.measures.addTable({ ...NO_MEASURES, unstored });
    return { truncatedAt: undefined, notes: [], quality: metadata.quality };
  }

  /** Releases each chunk once it is copied. */
  #takeBytes(): Uint8Array<ArrayBuffer> {
    const bytes = new Uint8Array(this.#sizeBytes);
    let at = this.#sizeBytes;
    for (let chunk = this.#chunks.pop(); chunk !== undefined; chunk = this.#chunks.pop()) {
      at -= chunk.length;
      bytes.set(chunk, at);
    }
    return bytes;
  }

  end(): DecodeEnd {
    throw new Error("BUG: a Parquet file ends by `finish`");
  }

  #record(row: RowReader): void {
    const generator = row.text("generator");
    if (generator !== undefined) {
      if (Buffer.byteLength(generator) > LABEL_BYTES_MAX) {
        throw row.fault("generator", `at most ${LABEL_BYTES_MAX} bytes`, generator);
      }
      this.#recordUsers(row, this.#generators.numberOf(generator));
      return;
    }
    const label = this.#labelOf(row);
    if (row.integer("requests") > 0) {
      for (const window of readWindows(row, label)) this.#sink.recordWindow(window);
    }
    const [codes, messages] = [row.texts("failure_codes"), row.texts("failure_messages")];
    for (const [index, requests] of row.integers("failure_requests", 1).entries()) {
      const kind = { code: codes[index] ?? "", message: messages[index] ?? "" };
      const second = row.integer("second", 0, 2 ** 32 - 1);
      this.#sink.recordFailure(label, second, this.#kinds.numberOf(kind), requests);
    }
  }

  /** A measure says nothing about the role of its endpoint: it takes that of the requests, which come first. */
  #labelOfMeasure(row: RowReader): number | undefined {
    const label = row.text("label");
    if (label === undefined) return undefined;
    const number = this.#seriesOf(row, label);
    const role = this.#roleOfLabel.get(label);
    if (role !== undefined) this.#roles[number] ??= role;
    return number;
  }

  #seriesOf(row: RowReader, label: string): number {
    const { names = [], areOff = false } = this.#facets;
    const facets = row.facets().filter(([name]) => !areOff || names.includes(name));
    const series = seriesName(label, facets);
    if (partsOfSeries(series).label === label) return this.#labels.numberOf(series);
    throw row.fault("label", "one with facets as Tachograph writes them", series);
  }

  #labelOf(row: RowReader): number {
    const label = row.text("label");
    if (label === undefined) throw row.fault("label", "a text", null);
    const number = this.#seriesOf(row, label);
    const name = row.text("role") ?? "request";
    const role = ROLES.find((each) => each === name);
    if (role === undefined) throw row.fault("role", `null or one of ${ROLES.join(", ")}`, name);
    // Series may become one: their facets can be left out.
    this.#roles[number] = strongerRole(role, this.#roles[number] ?? role);
    this.#roleOfLabel.set(label, strongerRole(role, this.#roleOfLabel.get(label) ?? role));
    return number;
  }

  #recordUsers(row: RowReader, generator: number): void {
    const second = row.integer("second", 1, 2 ** 32 - 1);
    const [started, ended] = [row.integer("started_users"), row.integer("ended_users")];
    if (started + ended > 0) this.#sink.recordUserChanges(generator, second, started, ended);
    else this.#sink.recordActiveUsers(generator, second, row.integer("active_users"));
  }

  #recordReported({ reported }: ExportMetadata): void {
    if (reported === undefined) return;
    const columns = isReported(reported)
      ? decodeReported(Buffer.from(reported.columns, "base64"))
      : undefined;
    if (columns === undefined) throw unreadableParquet("its reported percentiles are damaged");
    for (const { endpoint, second, windowSeconds, quantile, micros } of rowsOf(columns)) {
      const label = endpoint === 0 ? undefined : reported.labels[endpoint - 1];
      if (endpoint > 0 && label === undefined) {
        throw unreadableParquet("its reported percentiles are of an unknown label");
      }
      this.#sink.recordPercentiles({
        label: label === undefined ? undefined : this.#labels.numberOf(label),
        window: windowSeconds === 0 ? undefined : { second, windowSeconds },
        percentiles: [[quantile / 1_000_000, micros]],
      });
    }
  }
}

function requireIntact(bytes: Uint8Array): void {
  const answer = isIntact(bytes);
  if (answer === true) return;
  throw unreadableParquet(
    answer === undefined
      ? 'expected one that "tachograph export" wrote, without changes'
      : "its digest does not match: it was damaged, cut or changed",
  );
}

/** Throws `unreadable-source` for files of other programs and of later versions. */
function metadataOf({ metadata }: OpenedParquet): ExportMetadata {
  const written = parsedJson(metadata ?? "") as ExportMetadata | undefined;
  if (written?.version !== METADATA_VERSION) {
    throw unreadableParquet(`expected version ${METADATA_VERSION}, got ${written?.version}`);
  }
  if (!isQuality(written.quality)) throw unreadableParquet("its quality is damaged");
  if (written.unstored === undefined || isUnstored(written.unstored)) return written;
  throw unreadableParquet("its counts of values that were not stored are damaged");
}

function isQuality(value: unknown): boolean {
  if (!isRowQuality(value)) return false;
  const { unrecorded, extent, truncatedAtByte = 0 } = value as Partial<ExportMetadata["quality"]>;
  const areKnown =
    Array.isArray(unrecorded) && unrecorded.every((each) => UNRECORDED.includes(each));
  const isPlace = Number.isSafeInteger(truncatedAtByte) && truncatedAtByte >= 0;
  return areKnown && isPlace && (extent === undefined || isExtent(extent));
}

function isReported(value: unknown): boolean {
  const { labels, columns } = membersIn(value);
  const areTexts = Array.isArray(labels) && labels.every((label) => typeof label === "string");
  return areTexts && typeof columns === "string";
}

const SECOND_MAX = 2 ** 32 - 1;
const NANOS_MAX = 1e15 - 1;
const MILLIS_MAX = 3_600_000;

/** Gathers rows of measures into a table: those with a count are sums, the others histograms of minutes. */
class MeasureRows {
  readonly #series = new GrowingTable<MeasureSeries>(keyOfSeries);
  readonly #sums = lists("series", "second", "count", "sumMillions", "sumNanos");
  readonly #gauges = lists("series", "second", "min", "max", "last", "lastAtMillis");
  readonly #histograms = {
    ...lists("series", "minute", "min", "max", "bucket", "bucketCount"),
    bucketsFrom: [0],
  };

  /** Throws `unreadable-source` if the row is not one of a measure. */
  add(row: RowReader, label: number | undefined): void {
    const series = seriesOf(row, label);
    const number = this.#series.numberOf(series);
    if (row.isNull("value_count")) this.#addHistogram(row, number);
    else this.#addSums(row, number, series);
  }

  table(): MeasureTable {
    const rows = { sums: this.#sums, gauges: this.#gauges, histograms: this.#histograms };
    const columns = measureColumns(([part, name, Kind]) =>
      Kind.from((rows[part] as Readonly<Record<string, number[]>>)[name] ?? []),
    );
    return { series: this.#series.entries, ...columns, unstored: NO_MEASURES.unstored };
  }

  #addSums(row: RowReader, number: number, { kind }: MeasureSeries): void {
    const second = row.integer("second", 0, SECOND_MAX);
    this.#sums.series.push(number);
    this.#sums.second.push(second);
    this.#sums.count.push(row.integer("value_count", 1));
    const [millions, nanos] = exactSum(row);
    this.#sums.sumMillions.push(millions);
    this.#sums.sumNanos.push(nanos);
    if (kind !== "gauge") return;
    this.#gauges.series.push(number);
    this.#gauges.second.push(second);
    this.#gauges.min.push(decimal(row, "value_min", -Infinity));
    this.#gauges.max.push(decimal(row, "value_max", Infinity));
    this.#gauges.last.push(decimal(row, "value_last"));
    this.#gauges.lastAtMillis.push(row.integer("last_at_millis", 0, MILLIS_MAX));
  }

  #addHistogram(row: RowReader, number: number): void {
    const [values, counts] = [row.numbers("bucket_values"), row.integers("bucket_counts", 1)];
    if (values.length !== counts.length) {
      throw row.fault("bucket_counts", `${values.length} numbers`, counts.length);
    }
    this.#histograms.series.push(number);
    this.#histograms.minute.push(row.integer("second", 0, SECOND_MAX));
    this.#histograms.min.push(decimal(row, "value_min", -Infinity));
    this.#histograms.max.push(decimal(row, "value_max", Infinity));
    for (const value of values) {
      const bucket = valueBucketOf(value);
      const isMiddle =
        valueBucketMiddle(bucket) === value && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
      if (!isMiddle) throw row.fault("bucket_values", "middles of buckets", value);
      this.#histograms.bucket.push(bucket);
    }
    this.#histograms.bucketCount.push(...counts);
    this.#histograms.bucketsFrom.push(this.#histograms.bucket.length);
  }
}

function lists<Name extends string>(...names: readonly Name[]): Readonly<Record<Name, number[]>> {
  return Object.fromEntries(names.map((name) => [name, []])) as Record<Name, never[]>;
}

function seriesOf(row: RowReader, label: number | undefined): MeasureSeries {
  const given = row.text("kind");
  const kind = MEASURE_KINDS.find((each) => each === given);
  if (kind === undefined) throw row.fault("kind", `one of ${MEASURE_KINDS.join(", ")}`, given);
  const name = row.text("measure") ?? "";
  return { label, name, unit: row.text("unit") ?? "", kind, tags: tagsOf(row) };
}

const NO_TAG = ["", undefined] as const;

function tagsOf(row: RowReader): MeasureSeries["tags"] {
  const text = row.text("tags") ?? "{}";
  const given = parsedJson(text);
  const tags = typeof given === "object" && given !== null ? Object.entries(given) : [NO_TAG];
  if (tags.every(([, value]) => typeof value === "string")) {
    return tags as readonly (readonly [name: string, value: string])[];
  }
  throw row.fault("tags", "a JSON object of texts", text);
}

/** Written apart where the nearest double is not the sum. */
function exactSum(row: RowReader): readonly [millions: number, nanos: number] {
  const most = Number.MAX_SAFE_INTEGER;
  if (!row.isNull("sum_millions")) {
    return [row.integer("sum_millions", -most, most), row.integer("sum_nanos", 0, NANOS_MAX)];
  }
  const sum = { sumMillions: new Float64Array(1), sumNanos: new Float64Array(1) };
  addValue(sum, 0, decimal(row, "value_sum"));
  return [sum.sumMillions[0] as number, sum.sumNanos[0] as number];
}

/** A multiple of 10^-9. */
function decimal(
  row: RowReader,
  name: "value_sum" | "value_min" | "value_max" | "value_last",
  otherwise?: number,
): number {
  const value = row.number(name) ?? otherwise;
  if (value === otherwise && value !== undefined) return value;
  const isStorable = value !== undefined && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
  if (isStorable && asDecimal(value) === value) return value;
  throw row.fault(name, "a multiple of 10^-9 up to 2^53 - 1", value ?? null);
}

/** A group takes less than a second. */
const REPLY_MS_MAX = 60_000;

/** Of JavaScript objects; a group has some megabytes. */
const HEAP_MEBIBYTES_MAX = 1024;

interface OpenedParquet {
  /** The text that `METADATA_KEY` has. */
  readonly metadata: string | undefined;
  readonly groups: readonly RowGroup[];
  /** One group at a time. */
  read(group: RowGroup): Promise<Columns>;
  close(): void;
}

/**
 * Reads a Parquet file, which is taken away, in another thread: the library trusts what files say, so that a crafted one could
 * occupy it for ever. Throws `unreadable-source` as `read` does, also after `replyMsMax` without a reply.
 */
export async function openParquetFile(
  bytes: Uint8Array<ArrayBuffer>,
  replyMsMax = REPLY_MS_MAX,
): Promise<OpenedParquet> {
  const thread = idle ?? new ParquetThread();
  idle = undefined;
  const leave = (): void => {
    if (!thread.isEnded) idle = thread;
  };
  const opened = await thread.ask(bytes.buffer, replyMsMax).catch((error: unknown) => {
    leave();
    throw error;
  });
  if (!("groups" in opened)) throw new Error("BUG: the first reply is about the file");
  return {
    ...opened,
    async read(group) {
      const read = await thread.ask(group, replyMsMax);
      if ("columns" in read) return read.columns;
      throw new Error("BUG: the reply to a row group is its columns");
    },
    close: leave,
  };
}

/** Of an earlier file, for the next one. */
let idle: ParquetThread | undefined;

/** It does not keep the process alive unless it is asked. */
class ParquetThread {
  readonly #worker: Worker;
  isEnded = false;

  constructor() {
    // The sources run unbuilt; the package contains compiled files.
    const extension = import.meta.url.endsWith(".ts") ? "ts" : "js";
    this.#worker = new Worker(new URL(`parquet-worker.${extension}`, import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEBIBYTES_MAX },
    });
  }

  async ask(order: ParquetOrder, msMax: number): Promise<Exclude<ParquetReply, Damage>> {
    this.#worker.ref();
    this.#worker.postMessage(order, order instanceof ArrayBuffer ? [order] : []);
    const signal = AbortSignal.timeout(msMax);
    try {
      const [reply] = (await once(this.#worker, "message", { signal })) as [ParquetReply];
      if (!("damage" in reply)) return reply;
      throw unreadableParquet(`it is damaged: ${reply.damage}`);
    } catch (error) {
      if (error instanceof UserError) throw error;
      this.isEnded = true;
      await this.#worker.terminate();
      const late = `a part of it was not read within ${msMax / 1000} s`;
      throw unreadableParquet(`it is damaged: ${signal.aborted ? late : errorMessage(error)}`);
    } finally {
      this.#worker.unref();
    }
  }
}
