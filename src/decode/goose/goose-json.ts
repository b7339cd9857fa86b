import { lineDecoder } from "../csv/request-rows.ts";
import type { Format } from "../decoder.ts";
import { JsonFields } from "../json/json-fields.ts";
import { headText, quoted } from "../quoted.ts";
import { GOOSE_LABEL_FIELDS, type GooseRequest, GooseSamples } from "./goose-samples.ts";

const MICROS_PER_MS = 1000;

/** Since 0.19, in addition to the milliseconds. */
const FRACTION = "response_time_fraction_us";

/** The log of `goose --request-log FILE`, lines of JSON: docs/internals/formats/goose.md. */
export const gooseJson: Format = {
  name: "goose-json",
  needsStart: true,
  recognises: (head) => {
    const [line = ""] = headText(head).split("\n", 1);
    return /^\{"elapsed":\d/.test(line) && SIGNS.every((sign) => line.includes(sign));
  },
  labelFields: GOOSE_LABEL_FIELDS,
  open(sink, options) {
    const samples = new GooseSamples(sink, options);
    const lines = {
      rows: samples.rows,
      take(bytes: Buffer, from: number, to: number) {
        const request = readGooseLine(bytes.toString("utf8", from, to));
        return typeof request === "string" ? request : samples.take(request);
      },
      isWhole: (bytes: Buffer, from: number, to: number) =>
        JsonFields.parse(bytes.toString("utf8", from, to)) !== undefined,
      notes: () => samples.notes(),
    };
    return lineDecoder(lines, sink);
  },
};

/** Goose's other logs lack at least one of these. */
const SIGNS = ['"response_time":', '"success":', '"raw":'];

/** Returns the request, or why the line cannot be read. */
function readGooseLine(text: string): GooseRequest | string {
  const fields = JsonFields.parse(text);
  if (fields === undefined) return `got ${quoted(text)}, want a JSON object`;
  const raw = fields.object("raw");
  const fraction = fields.has(FRACTION) ? fields.whole(FRACTION) : 0;
  const elapsedMicros = fields.whole("response_time") * MICROS_PER_MS + fraction;
  const request = {
    method: methodOf(raw),
    name: fields.text("name"),
    scenario: fields.has("scenario_name") ? fields.text("scenario_name") : "",
    offsetMs: fields.whole("elapsed"),
    elapsedMicros,
    status: fields.whole("status_code"),
    hasPassed: fields.truth("success"),
    error: fields.text("error"),
    user: fields.whole("user"),
    isUpdate: fields.truth("update"),
    isSynthetic: fields.whole("coordinated_omission_elapsed") > 0,
    isFinal: fields.has(FRACTION),
  };
  const complaint = fields.complaint ?? raw.complaint;
  if (complaint !== undefined) return complaint;
  if (Number.isSafeInteger(elapsedMicros)) return request;
  return "cannot read response_time: want milliseconds, below 2^53 microseconds";
}

/** Rust writes `Get`; unknown methods have a field of their own. */
function methodOf(raw: JsonFields): string {
  const custom = raw.has("custom_method") ? raw.text("custom_method") : "";
  return custom === "" ? raw.text("method").toUpperCase() : custom;
}
