import type { FailureKind } from "../model/failures.ts";
import { ByteWindow } from "./byte-window.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "./decoder.ts";
import { readGooseLine } from "./goose-json-line.ts";
import { GOOSE_LABEL_FIELDS, GooseSamples } from "./goose-samples.ts";
import { headText } from "./head-text.ts";
import { JsonFields } from "./json-fields.ts";
import { LineReader } from "./line-reader.ts";

/** The log of `goose --request-log FILE`, lines of JSON: docs/formats/goose.md. */
export const gooseJson: Format = {
  name: "goose-json",
  needsStart: true,
  recognises: (head) => {
    const [line = ""] = headText(head).split("\n", 1);
    return /^\{"elapsed":\d/.test(line) && SIGNS.every((sign) => line.includes(sign));
  },
  labelFields: GOOSE_LABEL_FIELDS,
  open: (sink, options) => new GooseJsonDecoder(sink, options),
};

/** What the lines of Goose's other logs do not have together. */
const SIGNS = ['"response_time":', '"success":', '"raw":'];

class GooseJsonDecoder implements Decoder {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators = [];
  readonly #samples: GooseSamples;
  readonly #window = new ByteWindow();
  readonly #reader: LineReader;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.#samples = new GooseSamples(sink, options);
    this.labels = this.#samples.rows.labels.texts;
    this.failureKinds = this.#samples.rows.failureKinds;
    this.#reader = new LineReader(
      this.#window,
      {
        take: (bytes, from, to) => {
          const request = readGooseLine(bytes.toString("utf8", from, to));
          return typeof request === "string" ? request : this.#samples.take(request);
        },
        isWhole: (bytes, from, to) =>
          JsonFields.parse(bytes.toString("utf8", from, to)) !== undefined,
      },
      sink,
    );
  }

  push(piece: Uint8Array): void {
    this.#window.append(piece);
    this.#reader.read();
  }

  flush(): void {
    this.#samples.flush();
  }

  end(): DecodeEnd {
    const cut = this.#reader.end();
    return { cut, notes: this.#samples.end() };
  }
}
