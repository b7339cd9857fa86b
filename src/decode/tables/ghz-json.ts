import type { FailureKind } from "../../model/failures.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "../decoder.ts";
import { GHZ_LABEL_FIELDS, GhzDetails } from "./ghz-details.ts";
import { headText } from "../head-text.ts";

/** Each on its own: one expression for all would try every pair of places. */
const SIGNS = [/^\{/, /"endReason"\s*:/, /"call"\s*:/];

/** The report that `ghz --format json` writes, with its single requests: docs/formats/ghz.md. */
export const ghzJson: Format = {
  name: "ghz-json",
  labelFields: GHZ_LABEL_FIELDS,
  recognises: (head) => SIGNS.every((sign) => sign.test(headText(head))),
  open: (sink, options) => new GhzDecoder(sink, options),
};

class GhzDecoder implements Decoder {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators = [];
  readonly #window = new ByteWindow();
  readonly #details: GhzDetails;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.#details = new GhzDetails(this.#window, sink, options);
    this.labels = this.#details.rows.labels.texts;
    this.failureKinds = this.#details.rows.failureKinds;
  }

  push(piece: Uint8Array): void {
    this.#window.append(piece);
    this.#details.read();
  }

  flush(): void {
    this.#details.rows.flush();
  }

  end(): DecodeEnd {
    return this.#details.end();
  }
}
