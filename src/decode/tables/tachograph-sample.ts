import { headerLines } from "../kept-requests.ts";
import { isObject, jsonText } from "../../model/json-text.ts";
import {
  type FurtherDetails,
  SAMPLE_NUMBERS,
  SAMPLE_TEXTS,
} from "../../model/samples/request-sample.ts";

const MICROS_PER_MS = 1000;

/** What a line says in its member `sample`, with the names of the API: docs/own-format.md. What is none of them is left out. */
export function detailsInMember(sample: unknown): FurtherDetails {
  if (!isObject(sample)) return {};
  const texts = Object.keys(SAMPLE_TEXTS).map((name) => {
    const text = name.endsWith("Headers") ? headersOf(sample[name]) : textOf(sample[name]);
    return [name, text] as const;
  });
  const numbers = SAMPLE_NUMBERS.map((name) => {
    const isTime = name.endsWith("Micros");
    const written = sample[isTime ? name.replace(/Micros$/, "Ms") : name];
    const value = Math.round(Number(written ?? Number.NaN) * (isTime ? MICROS_PER_MS : 1));
    return [name, Number.isSafeInteger(value) && value >= 0 ? value : undefined] as const;
  });
  const known = [...texts, ...numbers].filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as FurtherDetails;
}

/** Of lines, or of an object with a text, or a list of texts, for each name. */
function headersOf(headers: unknown): string | undefined {
  if (!isObject(headers)) return textOf(headers);
  return Object.entries(headers)
    .flatMap(([name, value]) =>
      [value].flat().flatMap((each) => headerLines(name, textOf(each) ?? "")),
    )
    .join("\n");
}

/** Other values than texts as JSON; `undefined` if there is none. */
function textOf(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : jsonText(value);
}
