import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { headText, quoted } from "../quoted.ts";
import { JsonFields } from "../json/json-fields.ts";
import { type Instant, readInstant } from "../bytes/k6-instant.ts";
import { lineDecoder, type RequestLines, type RequestRows } from "../csv/request-rows.ts";
import { VEGETA_LABEL_FIELDS, VegetaResults } from "./vegeta-results.ts";

/** Output of `vegeta encode --to json`: docs/internals/formats/vegeta.md. */
export const vegetaJson: Format = {
  name: "vegeta-json",
  labelFields: VEGETA_LABEL_FIELDS,
  recognises: isVegetaJson,
  open: (sink, options) => lineDecoder(new VegetaJsonLines(sink, options), sink),
};

/** Present before the body in all versions; Vegeta 7 has neither attack nor number. */
const SIGNS = [/"code":\s*\d/, /"timestamp":\s*"/, /"latency":\s*\d/, /"bytes_in":\s*\d/];

function isVegetaJson(head: Uint8Array): boolean {
  const [line = ""] = headText(head).split("\n", 1);
  return line.startsWith("{") && SIGNS.every((sign) => sign.test(line));
}

const encoder = new TextEncoder();

class VegetaJsonLines implements RequestLines {
  readonly rows: RequestRows;
  readonly #results: VegetaResults;
  readonly #started: Instant = { second: 0, nanos: 0, hasParts: false };

  constructor(sink: SampleSink, options: DecodeOptions) {
    this.#results = new VegetaResults(sink, options);
    this.rows = this.#results.rows;
  }

  take(bytes: Buffer, from: number, to: number): string | undefined {
    const text = bytes.toString("utf8", from, to);
    const fields = JsonFields.parse(text);
    if (fields === undefined) {
      return `cannot read the line: got ${quoted(text)}, want a JSON object`;
    }
    const timestamp = fields.text("timestamp");
    const written = encoder.encode(timestamp);
    if (!readInstant(written, 0, written.length, this.#started)) {
      return fields.complaint ?? `cannot read timestamp: got ${quoted(timestamp)}, want RFC 3339`;
    }
    const optional = (name: string): string => (fields.has(name) ? fields.text(name) : "");
    const result = {
      second: this.#started.second,
      latencyNanos: fields.whole("latency"),
      code: fields.whole("code"),
      bytesIn: fields.whole("bytes_in"),
      error: optional("error"),
      attack: optional("attack"),
      method: optional("method"),
      url: optional("url"),
    };
    return fields.complaint ?? this.#results.take(result);
  }

  isWhole(bytes: Buffer, from: number, to: number): boolean {
    return JsonFields.parse(bytes.toString("utf8", from, to)) !== undefined;
  }

  notes(): string[] {
    return this.#results.notes();
  }
}
