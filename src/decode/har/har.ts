import { ByteWindow } from "../bytes/byte-window.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "../decoder.ts";
import { HAR_LABEL_FIELDS } from "./har-entry.ts";
import { HarEntries } from "./har-entries.ts";

/** The HTTP archive that browsers and proxies save: docs/formats/har.md. */
export const har: Format = {
  name: "har",
  recognises: isHar,
  labelFields: HAR_LABEL_FIELDS,
  open: (sink, options) => new HarDecoder(sink, options),
};

/** The entries can lie behind the head, but not all that stands before them. */
function isHar(head: Uint8Array): boolean {
  const text = new TextDecoder().decode(head);
  return /^\s*\{\s*"log"\s*:\s*\{/.test(text) && /"(?:creator|entries)"\s*:/.test(text);
}

class HarDecoder implements Decoder {
  readonly labels;
  readonly failureKinds;
  readonly generators = [];
  readonly #window = new ByteWindow();
  readonly #entries: HarEntries;

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.#entries = new HarEntries(this.#window, sink, options);
    this.labels = this.#entries.labels;
    this.failureKinds = this.#entries.failureKinds;
  }

  push(piece: Uint8Array): void {
    this.#window.append(piece);
    this.#entries.read();
  }

  flush(): void {
    this.#entries.flush();
  }

  end(): DecodeEnd {
    return this.#entries.end();
  }
}
