import type { FailureKind } from "../../model/failures.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import type { DecodeEnd, Decoder, SampleSink } from "../decoder.ts";
import { LineReader, type LineHandler } from "../bytes/line-reader.ts";
import type { RequestRows } from "./request-rows.ts";

/** Reads a format with one request per line. */
export interface RequestLines extends LineHandler {
  readonly rows: RequestRows;
  notes(): readonly string[];
}

export class LineRequests implements Decoder {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators = [];
  readonly #window = new ByteWindow();
  readonly #lines: RequestLines;
  readonly #reader: LineReader;

  constructor(lines: RequestLines, sink: SampleSink) {
    this.labels = lines.rows.labels.texts;
    this.failureKinds = lines.rows.failureKinds;
    this.#lines = lines;
    this.#reader = new LineReader(this.#window, lines, sink);
  }

  push(piece: Uint8Array): void {
    this.#window.append(piece);
    this.#reader.read();
  }

  flush(): void {
    this.#lines.rows.flush();
  }

  end(): DecodeEnd {
    const cut = this.#reader.end();
    const { rows } = this.#lines;
    rows.flush();
    return { cut, notes: [...this.#lines.notes(), ...rows.notes()] };
  }
}
