import { ByteWindow } from "../bytes/byte-window.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "../decoder.ts";
import { GATLING_FIELDS, GatlingSamples } from "./gatling-samples.ts";
import { GatlingTextRows } from "./gatling-text-rows.ts";
import { LineReader } from "../bytes/line-reader.ts";

/** The `simulation.log` of Gatling 2.0 to 3.12: docs/formats/gatling.md. */
export const gatlingText: Format = {
  name: "gatling-text",
  recognises: isGatlingText,
  labelFields: GATLING_FIELDS,
  open: (sink, options) => new GatlingTextDecoder(sink, options),
};

/**
 * What the first line can be: `RUN` or `ASSERTION` as Gatling writes it, or another row of a log
 * whose beginning is gone. Gatling 1 has a date of 14 digits behind `RUN`.
 */
const FIRST_LINES = [
  /^RUN\t(?!\d{14}\t)/,
  /^ASSERTION\t/,
  /^[^\t\n]*\t[^\t\n]*\tRUN\t\d{13}\t/,
  /^USER\t[^\n]*\t(?:START|END)\t\d{13}/,
  /^REQUEST\t[^\n]*\t\d{13}\t\d{13}\t(?:OK|KO)(?:\s|$)/,
];

function isGatlingText(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head).trimStart();
  return FIRST_LINES.some((line) => line.test(text));
}

class GatlingTextDecoder implements Decoder {
  readonly labels;
  readonly failureKinds;
  readonly generators;
  readonly #samples: GatlingSamples;
  readonly #window = new ByteWindow();
  readonly #rows: GatlingTextRows;
  readonly #lines: LineReader;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.#samples = new GatlingSamples(sink, options);
    this.labels = this.#samples.labels.texts;
    this.failureKinds = this.#samples.kinds.kinds;
    this.generators = this.#samples.generators;
    this.#rows = new GatlingTextRows(this.#samples, options.labels);
    this.#lines = new LineReader(this.#window, this.#rows, sink);
  }

  push(piece: Uint8Array): void {
    this.#window.append(piece);
    this.#lines.read();
  }

  flush(): void {
    this.#samples.flush();
  }

  end(): DecodeEnd {
    const cut = this.#lines.end();
    return { cut, notes: [...this.#samples.end(), ...this.#rows.notes()] };
  }
}
