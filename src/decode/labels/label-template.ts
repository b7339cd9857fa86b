import { UserError } from "../../model/errors.ts";
import { grown } from "../../model/columns.ts";
import type { DecodeOptions, Format } from "../decoder.ts";
import type { LabelTable } from "./label-table.ts";
import { quoted } from "../quoted.ts";

const BLANK = Uint8Array.of(0x20);

/** Label for tools that record neither name nor URL. */
export const ALL_REQUESTS = "All requests";

type Part = { readonly text: Uint8Array } | { readonly field: number };

/** A doubled brace, a field, a stray brace, or text. */
const TOKENS = /\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+/g;

const FIRST_BYTES = 1024;
const encoder = new TextEncoder();

/** Template of `--label`: text and fields, such as `{method} {url}`. Doubled braces are literal. */
export class LabelTemplate {
  readonly #parts: readonly Part[];
  #label: Uint8Array = new Uint8Array(FIRST_BYTES);
  #length = 0;

  /** Case-insensitive unless fields differ only in case. Throws `bad-parameter`. */
  constructor(template: string, fields: readonly string[]) {
    this.#parts = partsOf(template, fields);
  }

  uses(field: number): boolean {
    return this.#parts.some((part) => "field" in part && part.field === field);
  }

  /** Label of a record, valid until the next call; `contentsOf` returns fields by index. */
  labelOf(contentsOf: (field: number) => Uint8Array): Uint8Array {
    this.#length = 0;
    for (const part of this.#parts) {
      this.#append("text" in part ? part.text : contentsOf(part.field));
    }
    return this.#label.subarray(0, this.#length);
  }

  /** Index of that label, or `LABEL_TOO_LONG`. */
  indexIn(labels: LabelTable, contentsOf: (field: number) => Uint8Array): number {
    this.labelOf(contentsOf);
    return labels.indexOf(this.#label, 0, this.#length);
  }

  #append(bytes: Uint8Array): void {
    const end = this.#length + bytes.length;
    if (end > this.#label.length) this.#label = grown(this.#label, end);
    this.#label.set(bytes, this.#length);
    this.#length = end;
  }
}

/** Throws `bad-parameter` for an invalid template or unknown fields. Columns are checked with their header. */
export function checkLabelTemplate(
  { name, labelFields }: Format,
  { labelTemplate }: DecodeOptions,
): void {
  if (labelTemplate === undefined) return;
  if (labelFields === undefined) {
    throw new UserError(
      "bad-parameter",
      `cannot use the label template ${quoted(labelTemplate)}: labels of ${name} cannot be chosen`,
    );
  }
  if (labelFields === "columns") tokensOf(labelTemplate);
  else partsOf(labelTemplate, labelFields);
}

/** Field names in order. Throws `bad-parameter`. */
export function templateFields(template: string): string[] {
  return tokensOf(template).flatMap(({ field }) => (field === undefined ? [] : [field]));
}

function partsOf(template: string, fields: readonly string[]): Part[] {
  return tokensOf(template).map(({ text, field }) =>
    field === undefined
      ? { text: encoder.encode(text) }
      : { field: fieldIndex(field, fields, template) },
  );
}

interface Token {
  readonly text: string;
  readonly field: string | undefined;
}

function tokensOf(template: string): Token[] {
  return Array.from(template.matchAll(TOKENS), ([token, field]) => {
    if (field !== undefined) return { text: "", field };
    if (token === "{" || token === "}") {
      throw new UserError(
        "bad-parameter",
        `cannot use the label template ${quoted(template)}: got a single ${token}, want {field}, or {{ and }} for braces`,
      );
    }
    return { text: token === "{{" || token === "}}" ? token.slice(1) : token, field };
  });
}

function fieldIndex(name: string, fields: readonly string[], template: string): number {
  const exact = fields.indexOf(name);
  if (exact >= 0) return exact;
  const alike = fields.findIndex((field) => field.toLowerCase() === name.toLowerCase());
  if (alike >= 0) return alike;
  const known = fields.length === 0 ? "it has none" : `known are ${fields.map(quoted).join(", ")}`;
  throw new UserError(
    "bad-parameter",
    `cannot use the label template ${quoted(template)}: the source has no field ${quoted(name)}, ${known}`,
  );
}

/** Index of the label `METHOD name`, or of the name alone. */
export function methodLabel(labels: LabelTable, method: Uint8Array, name: Uint8Array): number {
  if (method.length === 0) return labels.indexOf(name, 0, name.length);
  const label = Buffer.concat([method, BLANK, name]);
  return labels.indexOf(label, 0, label.length);
}
