import type { FailureKind } from "../../model/failures.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { CsvReader } from "../csv/csv-reader.ts";
import { CsvRecord } from "../csv/csv-record.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "../decoder.ts";
import { isK6Csv } from "./k6-csv-columns.ts";
import { K6CsvRecords } from "./k6-csv-records.ts";

/** The CSV that `k6 run --out csv=FILE` writes: docs/formats/k6.md. */
export const k6Csv: Format = {
  name: "k6-csv",
  labelFields: "columns",
  recognises: isK6Csv,
  open: (sink, options) => new K6CsvDecoder(sink, options),
};

const COMMA = 0x2c;

class K6CsvDecoder implements Decoder {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  readonly #window = new ByteWindow();
  readonly #records: K6CsvRecords;
  readonly #reader: CsvReader;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.#records = new K6CsvRecords(sink, options);
    this.labels = this.#records.labels;
    this.failureKinds = this.#records.failureKinds;
    this.generators = this.#records.generators;
    this.#reader = new CsvReader(this.#window, new CsvRecord(COMMA), this.#records, sink);
  }

  push(piece: Uint8Array): void {
    this.#window.append(piece);
    this.#records.beginIn(this.#window.bytes);
    this.#reader.read();
  }

  forgetLabels(): void {
    this.#records.forgetLabels();
  }

  flush(): void {
    this.#records.flush();
  }

  end(): DecodeEnd {
    const cut = this.#reader.end();
    return { cut, notes: this.#records.end() };
  }
}
