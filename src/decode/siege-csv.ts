import type { FailureKind } from "../model/failures.ts";
import { ByteWindow } from "./byte-window.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "./decoder.ts";
import { readScaled } from "./exact-number.ts";
import { headText } from "./head-text.ts";
import { hasFailedStatus } from "./http-status.ts";
import { LabelTemplate } from "./label-template.ts";
import { LineReader } from "./line-reader.ts";
import { quoted } from "./quoted.ts";
import { RequestRows } from "./request-rows.ts";
import { isPieceOfSiegeRow, readSiegeRow, type SiegeRow } from "./siege-row.ts";
import { TimestampReader } from "./timestamp.ts";
import { readInZone, unansweredLeftOut, WHOLE_SECONDS } from "./notes.ts";

const LABEL_FIELDS = ["url", "code", "protocol", "urlId"] as const;

/** What siege prints with `verbose` and `csv` switched on: docs/formats/siege.md. */
export const siegeCsv: Format = {
  name: "siege-csv",
  labelFields: LABEL_FIELDS,
  recognises: (head) =>
    headText(head)
      .split("\n")
      .some((line) => readSiegeRow(line) !== undefined),
  open: (sink, options) => new SiegeDecoder(sink, options),
};

const MICROS_PER_SECOND = 1_000_000;

const encoder = new TextEncoder();

class SiegeDecoder implements Decoder {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators = [];
  readonly #rows: RequestRows;
  readonly #template: LabelTemplate | undefined;
  readonly #timeZone: string;
  readonly #timestamps: TimestampReader;
  readonly #window = new ByteWindow();
  readonly #reader: LineReader;
  /** Lines that are neither rows nor pieces of them. */
  #otherLines = 0;

  constructor(sink: SampleSink, { timeZone, labelTemplate, labels }: DecodeOptions) {
    this.#rows = new RequestRows(sink, labels);
    this.labels = this.#rows.labels.texts;
    this.failureKinds = this.#rows.failureKinds;
    this.#template =
      labelTemplate === undefined ? undefined : new LabelTemplate(labelTemplate, LABEL_FIELDS);
    this.#timeZone = timeZone;
    this.#timestamps = new TimestampReader(timeZone);
    this.#reader = new LineReader(
      this.#window,
      {
        take: (bytes, from, to) => this.#take(bytes.toString("utf8", from, to)),
        isWhole: (bytes, from, to) => readSiegeRow(bytes.toString("utf8", from, to)) !== undefined,
      },
      sink,
    );
  }

  push(piece: Uint8Array): void {
    this.#window.append(piece);
    this.#reader.read();
  }

  flush(): void {
    this.#rows.flush();
  }

  end(): DecodeEnd {
    const cut = this.#reader.end();
    this.#rows.flush();
    const notes = [
      readInZone("the time of a row", this.#timeZone),
      WHOLE_SECONDS,
      "siege records elapsed times in steps of 10 ms",
      unansweredLeftOut("siege"),
    ];
    if (this.#otherLines > 0) {
      notes.push(`lines of siege that are no requests, not counted: ${this.#otherLines}`);
    }
    return { cut, notes: [...notes, ...this.#rows.notes()] };
  }

  #take(line: string): string | undefined {
    const row = readSiegeRow(line);
    if (row !== undefined) return this.#takeRow(row);
    if (isPieceOfSiegeRow(line)) {
      return `the line is a piece of a row: got ${quoted(line)}, want all of it`;
    }
    this.#otherLines += 1;
    return undefined;
  }

  #takeRow(row: SiegeRow): string | undefined {
    const ended = Buffer.from(row.endedAt);
    const endSecond = this.#timestamps.read(ended, 0, ended.length);
    if (endSecond === undefined) {
      return `cannot read the time: got ${quoted(row.endedAt)}, want ${this.#timestamps.wanted}`;
    }
    const elapsedMicros = scaled(row.elapsed, 6);
    const receivedBytes = scaled(row.bytes, 0);
    if (elapsedMicros === undefined || receivedBytes === undefined) {
      return `cannot read the row: got ${quoted(`${row.elapsed},${row.bytes}`)}, want numbers below 2^53`;
    }
    const request = this.#rows.begin();
    request.second = Math.floor(
      (endSecond * MICROS_PER_SECOND - elapsedMicros) / MICROS_PER_SECOND,
    );
    request.elapsedMicros = elapsedMicros;
    request.receivedBytes = receivedBytes;
    request.hasFailed = hasFailedStatus(Number(row.code));
    request.code = row.code;
    return this.#rows.record(this.#label(row));
  }

  #label(row: SiegeRow): number {
    const { labels } = this.#rows;
    if (this.#template === undefined) return labels.indexOfText(row.url);
    return this.#template.indexIn(labels, (field) =>
      encoder.encode(row[LABEL_FIELDS[field] as (typeof LABEL_FIELDS)[number]]),
    );
  }
}

function scaled(text: string, scale: number): number | undefined {
  const bytes = Buffer.from(text);
  return readScaled(bytes, 0, bytes.length, scale);
}
