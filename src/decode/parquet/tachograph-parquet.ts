import { TACHOGRAPH_PARQUET } from "./about.ts";
import { NO_MEASURES } from "../../model/measures/measure-table.ts";
import type { FailureKind } from "../../model/failures.ts";
import { decodeReported, rowsOf } from "../../model/reported-percentiles.ts";
import { LABEL_BYTES_MAX } from "../../model/label.ts";
import { partsOfSeries, seriesName } from "../../model/series/facets.ts";
import { isRowQuality } from "../../model/quality/row-quality.ts";
import { isExtent, UNRECORDED } from "../../model/source-quality.ts";
import { type Role, ROLES, strongerRole } from "../../model/role.ts";
import type { Decoder, DecodeEnd, FacetOptions, Format, SampleSink } from "../decoder.ts";
import { isIntact } from "./file-digest.ts";
import { GrowingTable } from "../../model/row-groups.ts";
import { type ExportMetadata, METADATA_VERSION } from "./parquet-columns.ts";
import { type OpenedParquet, openParquetFile } from "./parquet-thread.ts";
import { MeasureRows } from "./measure-rows.ts";
import { readWindows } from "./read-window.ts";
import { RowReader, unreadableParquet } from "./row-reader.ts";
import { parsedJson } from "../../model/json-text.ts";

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

  /** It says nothing about the role of the endpoint. */
  #labelOfMeasure(row: RowReader): number | undefined {
    const label = row.text("label");
    return label === undefined ? undefined : this.#seriesOf(row, label);
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
    const columns = decodeReported(Buffer.from(reported.columns, "base64"));
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
  if (isQuality(written.quality)) return written;
  throw unreadableParquet("its quality is damaged");
}

function isQuality(value: unknown): boolean {
  if (!isRowQuality(value)) return false;
  const { unrecorded, extent, truncatedAtByte = 0 } = value as Partial<ExportMetadata["quality"]>;
  const areKnown =
    Array.isArray(unrecorded) && unrecorded.every((each) => UNRECORDED.includes(each));
  return (
    areKnown && Number.isSafeInteger(truncatedAtByte) && (extent === undefined || isExtent(extent))
  );
}
