import { isObject, jsonText, parsedJson } from "../../model/json-text.ts";
import { type K6Parts, PART_OF_TAG, TIME, VALUE } from "./k6-parts.ts";
import type { JsonMembers } from "../json/json-label.ts";
import type { K6SampleTags } from "./k6-measures.ts";
import { plainDecimal } from "../bytes/exact-number.ts";
import { quoted } from "../quoted.ts";

export type K6JsonLine =
  | { readonly kind: "point"; readonly metric: string }
  /** The declaration of a metric. */
  | { readonly kind: "metric"; readonly metric: string; type: unknown; contains: unknown }
  | { readonly kind: "wrong"; readonly reason: string }
  | { readonly kind: "broken"; readonly reason: string };

const encoder = new TextEncoder();

/** Parses any line with `JSON.parse`. Does not throw. */
export function readJsonLine(text: string): K6JsonLine {
  const line = parsedJson(text);
  if (!isObject(line)) {
    return {
      kind: "broken",
      reason: `cannot read the line: got ${quoted(text)}, want a JSON object`,
    };
  }
  const { type, metric, data } = line;
  if (type !== "Point" && type !== "Metric") {
    return wrong(`cannot read the line: got the type ${shown(type)}, want Point or Metric`);
  }
  if (typeof metric !== "string") {
    return wrong(`cannot read the line: got the metric ${shown(metric)}, want its name`);
  }
  if (type === "Point") return { kind: "point", metric };
  const { type: metricType, contains } = isObject(data) ? data : {};
  return { kind: "metric", metric, type: metricType, contains };
}

/** Fills the parts from the point in `text`; missing parts are empty. Returns its tags; `undefined` if its data lack them. */
export function putPoint(text: string, parts: K6Parts): JsonMembers | undefined {
  parts.begin();
  const point = parsedJson(text, digitsOfNumbers);
  const data = isObject(point) ? point["data"] : undefined;
  if (!isObject(data)) return {};
  put(parts, TIME, data["time"]);
  const { value } = data;
  if (value !== undefined) {
    parts.put(
      VALUE,
      encoder.encode(value instanceof Digits ? plainDecimal(value.text) : shown(value)),
    );
  }
  const { tags } = data;
  if (!isObject(tags)) return tags === undefined ? undefined : {};
  for (const [key, part] of PART_OF_TAG) put(parts, part, tags[key]);
  return tags;
}

/** The tags of the point in `text` that are strings. */
export function tagsOfPoint(text: string): K6SampleTags {
  const point = parsedJson(text);
  const data = isObject(point) ? point["data"] : undefined;
  const tags = isObject(data) ? data["tags"] : undefined;
  if (!isObject(tags)) return {};
  return Object.fromEntries(
    Object.entries(tags).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );
}

/** A number as written. */
class Digits {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Keeps numbers as text: binary fractions are not exact. */
function digitsOfNumbers(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === "number" ? new Digits(context?.source ?? String(value)) : value;
}

function put(parts: K6Parts, part: number, value: unknown): void {
  if (typeof value === "string") parts.put(part, encoder.encode(value));
  else if (value instanceof Digits) parts.put(part, encoder.encode(value.text));
  else if (typeof value === "boolean") parts.put(part, encoder.encode(String(value)));
}

function wrong(reason: string): K6JsonLine {
  return { kind: "wrong", reason };
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : quoted(jsonText(value));
}
