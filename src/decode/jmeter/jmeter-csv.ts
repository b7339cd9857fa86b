import type { FailureKind } from "../../model/failures.ts";
import type { Role } from "../../model/role.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { CsvReader } from "../csv/csv-reader.ts";
import { CsvRecord } from "../csv/csv-record.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "../decoder.ts";
import { hasFirstField, isJmeterCsv, requiredDelimiterOf } from "./jmeter-csv-columns.ts";
import { JmeterCsvRoles, type JmeterCsvTargets } from "./jmeter-csv-roles.ts";
import { JmeterExtras } from "./jmeter-extras.ts";
import { JmeterKernel } from "./jmeter-kernel.ts";
import { JmeterCsvRecords } from "./jmeter-csv-records.ts";
import { LabelTable } from "../labels/label-table.ts";
import { RoleTable } from "../role-table.ts";
import { SampleRows } from "../sample-rows.ts";
import { TimestampReader } from "../bytes/timestamp.ts";

/** More bytes than these do not stay in the processor's cache until they are read. */
const SLICE_BYTES = 256 * 1024;

/** The CSV result files of JMeter, also called JTL: docs/formats/jmeter.md. */
export const jmeterCsv: Format = {
  name: "jmeter-csv",
  labelFields: "columns",
  recognises: isJmeterCsv,
  open: (sink, options) => new JmeterCsvDecoder(sink, options),
};

interface Source {
  readonly reader: CsvReader;
  readonly records: JmeterCsvRecords;
}

class JmeterCsvDecoder implements Decoder {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  readonly #sink: SampleSink;
  readonly #timeZone: string;
  readonly #window: ByteWindow;
  readonly #roles = new RoleTable();
  readonly #targets: JmeterCsvTargets;
  /** `undefined` until the delimiter is known. */
  #source: Source | undefined;

  constructor(sink: SampleSink, options: DecodeOptions) {
    const labels = new LabelTable(options.labels, true);
    this.labels = labels.texts;
    this.#sink = sink;
    this.#timeZone = options.timeZone;
    const extras = new JmeterExtras(sink);
    this.failureKinds = extras.failureKinds;
    this.generators = extras.generators;
    const kernel = JmeterKernel.take();
    this.#window = new ByteWindow(kernel.window);
    this.#targets = {
      kernel,
      rows: new SampleRows(sink, kernel.batch),
      extras,
      labels,
      roles: new JmeterCsvRoles(this.#roles, labels.texts),
      timestamps: new TimestampReader(options.timeZone),
      labelTemplate: options.labelTemplate,
    };
  }

  roleOf(label: number): Role {
    return this.#roles.roleOf(label);
  }

  push(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at += SLICE_BYTES) {
      this.#pushSlice(bytes.subarray(at, at + SLICE_BYTES));
    }
  }

  #pushSlice(bytes: Uint8Array): void {
    this.#source?.records.settle(this.#window.bytes);
    this.#window.append(bytes);
    if (this.#source === undefined && hasFirstField(this.#unread())) {
      this.#source = this.#openSource();
    }
    this.#source?.reader.read();
  }

  flush(): void {
    this.#targets.rows.flush();
    if (this.#source?.records.hasSizes === true) this.#sink.confirmSizes();
  }

  end(): DecodeEnd {
    const { reader, records } = this.#source ?? this.#openSource();
    reader.read();
    const cut = reader.end();
    this.flush();
    this.#targets.kernel.giveBack();
    return { cut, notes: records.notes(this.#timeZone) };
  }

  #openSource(): Source {
    const delimiter = requiredDelimiterOf(this.#unread());
    const record = new CsvRecord(delimiter);
    const records = new JmeterCsvRecords(delimiter, this.#targets, record);
    return { reader: new CsvReader(this.#window, record, records, this.#sink), records };
  }

  #unread(): Uint8Array {
    return this.#window.bytes.subarray(this.#window.from, this.#window.to);
  }
}
