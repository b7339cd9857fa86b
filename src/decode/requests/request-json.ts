import type { FormatAbout } from "../format-about.ts";
import type { DecodeOptions, Format, SampleSink } from "../decoder.ts";
import { JsonFields } from "../json/json-fields.ts";
import { headText, quoted } from "../quoted.ts";
import { lineDecoder, type Request, type RequestLines, RequestRows } from "./request-rows.ts";

/** A format with one request per line, as a JSON object. */
export interface RequestJson extends FormatAbout {
  readonly labelFields: readonly string[];
  /** Of its first line, all of them. */
  readonly signs: readonly RegExp[];
  readonly open: (rows: RequestRows) => RequestJsonLines;
}

interface RequestJsonLines {
  /** Fills the request. Returns what else the line says; `undefined` for a line that is no request. */
  read(line: JsonFields, request: Request): JsonRequest | undefined;
  /** @default none */
  notes?(): readonly string[];
}

interface JsonRequest {
  /** Values of `labelFields`. */
  readonly fields: Readonly<Record<string, string>>;
  /** The label without a template. */
  readonly label: string;
  /** Objects of the line whose faults make it unreadable. */
  readonly parts: readonly JsonFields[];
  readonly measures: Iterable<readonly [name: string, unit: string, value: number]>;
}

export function requestJsonFormat(format: RequestJson): Format {
  const { signs } = format;
  return {
    ...format,
    recognises(head) {
      const [line = ""] = headText(head).split("\n", 1);
      return line.startsWith("{") && signs.every((sign) => sign.test(line));
    },
    open: (sink, options) => lineDecoder(new JsonLines(format, sink, options), sink),
  };
}

class JsonLines implements RequestLines {
  readonly rows: RequestRows;
  readonly notes: () => readonly string[];
  readonly #lines: RequestJsonLines;

  constructor({ labelFields, open }: RequestJson, sink: SampleSink, options: DecodeOptions) {
    this.rows = new RequestRows(sink, options, labelFields);
    this.#lines = open(this.rows);
    this.notes = () => this.#lines.notes?.() ?? [];
  }

  isWhole(bytes: Buffer, from: number, to: number): boolean {
    return JsonFields.parse(bytes.toString("utf8", from, to)) !== undefined;
  }

  take(bytes: Buffer, from: number, to: number): string | undefined {
    const text = bytes.toString("utf8", from, to);
    const line = JsonFields.parse(text);
    if (line === undefined) return `cannot read the line: got ${quoted(text)}, want a JSON object`;
    const { rows } = this;
    const found = this.#lines.read(line, rows.begin());
    const complaint = [line, ...(found?.parts ?? [])].find((part) => part.complaint !== undefined);
    if (complaint !== undefined || found === undefined) return complaint?.complaint;
    const reason = rows.record(rows.labelOf(found.fields, found.label));
    if (reason === undefined) {
      for (const [name, unit, value] of found.measures) rows.measureNamed(name, unit, value);
    }
    return reason;
  }
}
