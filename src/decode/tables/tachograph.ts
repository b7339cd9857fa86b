import { isObject, jsonText, parsedJson } from "../../model/json-text.ts";
import {
  type FurtherDetails,
  SAMPLE_NUMBERS,
  SAMPLE_TEXTS,
} from "../../model/samples/request-sample.ts";
import { FACET_NAME } from "../../model/series/facets.ts";
import { requestTableFormat } from "../csv/request-table.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { JsonLabel, type JsonMembers } from "../json/json-fields.ts";
import { headerLines } from "../kept-requests.ts";
import { NO_FACETS } from "../labels/faceted-labels.ts";
import { headText, quoted } from "../quoted.ts";
import { type RequestLines, RequestRows, lineDecoder } from "../requests/request-rows.ts";
import { TACHOGRAPH_CSV, TACHOGRAPH_NDJSON } from "./about.ts";
import {
  ELAPSED_FIELDS,
  TACHOGRAPH_FIELDS,
  type TachographField,
  TachographRequests,
} from "./tachograph-requests.ts";

const TRUTH = /^(?:true|false)$/i;
/** A truncated number or text looks complete. */
const NEVER = /(?!)/;

/** The project's own table: docs/own-format.md. */
export const tachographCsv: Format = requestTableFormat({
  ...TACHOGRAPH_CSV,
  recognises: (head) => isHeader(headText(head).split(/\r?\n/, 1)[0] ?? ""),
  wholeLastFields: Object.fromEntries(
    TACHOGRAPH_FIELDS.map((field) => [field, field === "success" ? TRUTH : NEVER]),
  ),
  ragged: { texts: ["message", "label"], outcome: ["success", "code"] },
  delimiterOf: (firstLine) => delimiterIn(firstLine).charCodeAt(0),
  open(columns, options, sink) {
    columns.require("timestamp");
    columns.require(...ELAPSED);
    const label = options.labelTemplate === undefined ? columns.require("label") : undefined;
    const columnOf = new Map(TACHOGRAPH_FIELDS.map((field) => [field, columns.find(field)]));
    const requests = new TachographRequests(options, sink);
    const columnsOfTexts = Object.fromEntries(
      Object.keys(SAMPLE_TEXTS).map((name) => [name, columns.find(name)]),
    );
    return {
      label,
      measured: [...columns.names.keys()].filter((each) => isOther(columns.names[each] ?? "")),
      facets: Object.fromEntries(columns.names.flatMap((name, at) => facetIn(name, at))),
      generators: requests.generators,
      details: { columns: columnsOfTexts },
      read(row, request) {
        const contents = (field: TachographField): Uint8Array | undefined => {
          const column = columnOf.get(field);
          return column === undefined ? undefined : row.contents(column);
        };
        row.complaint = requests.read(request, contents, row.repairs);
      },
      recorded: (_row, request) => requests.recorded(request),
      notes: () => requests.notes(),
    };
  },
});

const FACET = "facet.";

/** A name of a facet and what it is paired with, if the field is one. */
function facetIn<Value>(field: string, value: Value): (readonly [string, Value])[] {
  const name = field.slice(FACET.length);
  return field.startsWith(FACET) && FACET_NAME.test(name) ? [[name, value]] : [];
}

const ELAPSED = Object.keys(ELAPSED_FIELDS);

/** Whether a column is a measure, if it has numbers. */
function isOther(name: string): boolean {
  const isField = (TACHOGRAPH_FIELDS as readonly string[]).includes(name);
  return !isField && facetIn(name, 0).length === 0;
}

/** Two of our column names, one of them an elapsed time: no other tool has both. */
function isHeader(firstLine: string): boolean {
  const names = firstLine.split(delimiterIn(firstLine)).map((name) => name.replaceAll('"', ""));
  const hasElapsed = names.some((name) => ELAPSED.includes(name));
  return hasElapsed && (names.includes("timestamp") || names.includes("label"));
}

/** The byte after the first word; @default a comma */
function delimiterIn(firstLine: string): string {
  return /^"?\w+"?([,;\t|])/.exec(firstLine)?.[1] ?? ",";
}

/** The project's own JSON lines: docs/own-format.md. */
export const tachographNdjson: Format = {
  ...TACHOGRAPH_NDJSON,
  recognises: (head) => isOurs(headText(head).split("\n", 1)[0] ?? ""),
  open: (sink, options) => lineDecoder(new TachographLines(sink, options), sink),
};

const utf8 = new TextDecoder();

/** More digits than a double keeps, such as nanoseconds since 1970. */
const LONG_NUMBER = /\d{16}/;

/** Two of our field names, one of them an elapsed time: no other tool has both. */
function isOurs(line: string): boolean {
  const members = parse(line);
  if (members === undefined) return false;
  const hasElapsed = ELAPSED.some((name) => name in members);
  return hasElapsed && ("timestamp" in members || "label" in members);
}

class TachographLines implements RequestLines {
  readonly rows: RequestRows;
  readonly generators: readonly string[];
  readonly #requests: TachographRequests;
  readonly #label: JsonLabel | undefined;
  #members: JsonMembers = {};

  constructor(sink: SampleSink, options: DecodeOptions) {
    const { labelTemplate } = options;
    const { labels, facets } = options;
    this.rows = new RequestRows(sink, { labels, facets });
    this.rows.details = () => {
      const { generator, sample } = this.#members;
      const named = typeof generator === "string" ? { generator } : {};
      return { ...named, ...detailsInMember(sample) };
    };
    this.#requests = new TachographRequests(options, sink);
    this.generators = this.#requests.generators;
    this.#label =
      labelTemplate === undefined ? undefined : new JsonLabel(labelTemplate, TACHOGRAPH_FIELDS);
  }

  isWhole(bytes: Buffer, from: number, to: number): boolean {
    return parse(bytes.toString("utf8", from, to)) !== undefined;
  }

  /** Throws `bad-parameter` for a label of unknown members. */
  notes(): readonly string[] {
    this.#label?.checkFields();
    return this.#requests.notes();
  }

  take(bytes: Buffer, from: number, to: number): string | undefined {
    const line = bytes.toString("utf8", from, to);
    const members = parse(line);
    if (members === undefined) {
      return `cannot read the line: got ${quoted(line)}, want a JSON object`;
    }
    this.#members = members;
    if (this.#label === undefined && typeof members["label"] !== "string") {
      return "there is no label: want a string";
    }
    const contents = (name: string): Uint8Array | undefined => contentsOf(members[name]);
    const request = this.rows.begin();
    // The label comes last, so that an unreadable line adds none.
    const reason =
      this.#requests.read(request, contents, this.rows.repairs) ??
      this.rows.record(this.#labelOf(members), this.#facetsOf(members));
    if (reason !== undefined) return reason;
    this.#requests.recorded(request);
    for (const [name, value] of Object.entries(members)) {
      if (isOther(name) && typeof value !== "object") this.rows.addColumn(name, textOf(value));
    }
    return undefined;
  }

  #facetsOf(members: JsonMembers): number {
    const { facets } = this.rows;
    const own = Object.entries(members).flatMap(([name, value]) => facetIn(name, value));
    const named = facets.named.map((name) => [name, members[name]] as const);
    const all = new Map<string, unknown>([...named, ...own]);
    const texts = facets.namesOf(own.map(([name]) => name)).map((name) => {
      const contents = contentsOf(all.get(name));
      return [name, contents === undefined ? "" : utf8.decode(contents)] as const;
    });
    return texts.length === 0 ? NO_FACETS : facets.setOf(texts);
  }

  #labelOf(members: JsonMembers): number {
    const { labels } = this.rows;
    if (this.#label !== undefined) return this.#label.indexIn(labels, members);
    return labels.indexOfText(members["label"] as string);
  }
}

function parse(line: string): JsonMembers | undefined {
  const value = parsedJson(line, LONG_NUMBER.test(line) ? numberAsWritten : undefined);
  return isObject(value) ? value : undefined;
}

function numberAsWritten(_key: string, value: unknown, context?: { source?: string }): unknown {
  return typeof value === "number" ? (context?.source ?? value) : value;
}

function contentsOf(value: unknown): Uint8Array | undefined {
  return value === undefined || value === null ? undefined : textOf(value);
}

function textOf(value: unknown): Uint8Array {
  return Buffer.from(typeof value === "string" ? value : jsonText(value));
}

const MICROS_PER_MS = 1000;

/** What a line says in its member `sample`, with the names of the API: docs/own-format.md. What is none of them is left out. */
function detailsInMember(sample: unknown): FurtherDetails {
  if (!isObject(sample)) return {};
  const texts = Object.keys(SAMPLE_TEXTS).map((name) => {
    const text = name.endsWith("Headers") ? headersOf(sample[name]) : sampleText(sample[name]);
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
  if (!isObject(headers)) return sampleText(headers);
  return Object.entries(headers)
    .flatMap(([name, value]) =>
      [value].flat().flatMap((each) => headerLines(name, sampleText(each) ?? "")),
    )
    .join("\n");
}

/** Other values than texts as JSON; `undefined` if there is none. */
function sampleText(value: unknown): string | undefined {
  if (value === undefined || value === null) return undefined;
  return typeof value === "string" ? value : jsonText(value);
}
