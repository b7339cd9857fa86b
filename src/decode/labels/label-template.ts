import { UserError } from "../../model/errors.ts";
import type { DecodeOptions, Format } from "../decoder.ts";
import type { LabelTable } from "./label-table.ts";
import { quoted } from "../quoted.ts";

const BLANK = Uint8Array.of(0x20);

/** The label of every request of a tool that tells neither a name nor a URL. */
export const ALL_REQUESTS = "All requests";

/** Text as it is, or a field: an index into the fields of the source. */
type Part = { readonly text: Uint8Array } | { readonly field: number };

/** A doubled brace, a field in braces, any other brace, or the text up to the next one. */
const PIECES = /\{\{|\}\}|\{([^{}]*)\}|[{}]|[^{}]+/g;

const FIRST_BYTES = 1024;
const encoder = new TextEncoder();

/**
 * What `--label` gives: labels put together of text and of fields of each record, such as
 * `{method} {url}`. Doubled braces stand for themselves.
 */
export class LabelTemplate {
  readonly #parts: readonly Part[];
  #label: Uint8Array = new Uint8Array(FIRST_BYTES);
  #length = 0;

  /**
   * `fields` are those of the source; case matters only where two of them differ in nothing else.
   * Throws `bad-parameter` where the template is none, or names another field.
   */
  constructor(template: string, fields: readonly string[]) {
    this.#parts = partsOf(template, fields);
  }

  /** Whether labels hold what stands in a field, by its index. */
  uses(field: number): boolean {
    return this.#parts.some((part) => "field" in part && part.field === field);
  }

  /** The label of a record, until the next call. `contentsOf` gives its fields by their indices. */
  labelOf(contentsOf: (field: number) => Uint8Array): Uint8Array {
    this.#length = 0;
    for (const part of this.#parts) {
      this.#append("text" in part ? part.text : contentsOf(part.field));
    }
    return this.#label.subarray(0, this.#length);
  }

  /** The index of that label in `labels`, or `LABEL_TOO_LONG`. */
  indexIn(labels: LabelTable, contentsOf: (field: number) => Uint8Array): number {
    this.labelOf(contentsOf);
    return labels.indexOf(this.#label, 0, this.#length);
  }

  #append(bytes: Uint8Array): void {
    const end = this.#length + bytes.length;
    if (end > this.#label.length) {
      const larger = new Uint8Array(end * 2);
      larger.set(this.#label);
      this.#label = larger;
    }
    this.#label.set(bytes, this.#length);
    this.#length = end;
  }
}

/**
 * Throws `bad-parameter` where the template of `options` is none, where the format has no fields to
 * choose from, or not those that the template names. Columns are known only with their header.
 */
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
  if (labelFields === "columns") piecesOf(labelTemplate);
  else partsOf(labelTemplate, labelFields);
}

/** The fields that a template names, in order. Throws `bad-parameter` where it is none. */
export function templateFields(template: string): string[] {
  return piecesOf(template).flatMap(({ field }) => (field === undefined ? [] : [field]));
}

function partsOf(template: string, fields: readonly string[]): Part[] {
  return piecesOf(template).map(({ text, field }) =>
    field === undefined
      ? { text: encoder.encode(text) }
      : { field: fieldIndex(field, fields, template) },
  );
}

/** A stretch of the template: text, or the name of a field. */
interface Piece {
  readonly text: string;
  readonly field: string | undefined;
}

function piecesOf(template: string): Piece[] {
  return Array.from(template.matchAll(PIECES), ([piece, field]) => {
    if (field !== undefined) return { text: "", field };
    if (piece === "{" || piece === "}") {
      throw new UserError(
        "bad-parameter",
        `cannot use the label template ${quoted(template)}: got a single ${piece}, want {field}, or {{ and }} for braces`,
      );
    }
    return { text: piece === "{{" || piece === "}}" ? piece.slice(1) : piece, field };
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

/** The index of the label `METHOD name`, or of the name alone where there is no method. */
export function methodLabel(labels: LabelTable, method: Uint8Array, name: Uint8Array): number {
  if (method.length === 0) return labels.indexOf(name, 0, name.length);
  const label = Buffer.concat([method, BLANK, name]);
  return labels.indexOf(label, 0, label.length);
}
