import type { GooseRequest } from "./goose-samples.ts";
import { JsonFields } from "./json-fields.ts";
import { quoted } from "./quoted.ts";

const MICROS_PER_MS = 1000;
/** Since 0.19, beside the milliseconds. */
const FRACTION = "response_time_fraction_us";

/** What a line of the log says, or why it cannot be read. */
export function readGooseLine(text: string): GooseRequest | string {
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
  return "cannot read response_time: want milliseconds that are below 2^53 microseconds";
}

/** Rust calls it `Get`; a method that it has no name for stands beside. */
function methodOf(raw: JsonFields): string {
  const custom = raw.has("custom_method") ? raw.text("custom_method") : "";
  return custom === "" ? raw.text("method").toUpperCase() : custom;
}
