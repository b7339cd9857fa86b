import { UserError } from "../../model/errors.ts";
import { LabelTemplate, templateFields } from "../labels/label-template.ts";
import type { LabelTable } from "../labels/label-table.ts";
import { quoted } from "../quoted.ts";

const encoder = new TextEncoder();

export type JsonMembers = Readonly<Record<string, unknown>>;

/** Labels by template from known members, and others that appear later. */
export class JsonLabel {
  readonly #templateText: string;
  readonly #template: LabelTemplate;
  readonly #fields: readonly string[];
  readonly #seen: Set<string>;
  #requests = 0;

  /** Members of `known` may be missing. Throws `bad-parameter`. */
  constructor(template: string, known: readonly string[]) {
    this.#seen = new Set(known);
    this.#templateText = template;
    this.#fields = templateFields(template);
    this.#template = new LabelTemplate(template, this.#fields);
  }

  /** Or `LABEL_TOO_LONG`. */
  indexIn(labels: LabelTable, members: JsonMembers): number {
    this.#requests += 1;
    for (const name of Object.keys(members)) this.#seen.add(name);
    return this.#template.indexIn(labels, (field) => {
      const value = members[this.#fields[field] as string];
      return encoder.encode(isPlain(value) ? String(value) : "");
    });
  }

  /** Throws `bad-parameter` if no object had a member of the template. */
  checkFields(): void {
    const unknown = this.#fields.find((field) => !this.#seen.has(field));
    if (unknown === undefined || this.#requests === 0) return;
    throw new UserError(
      "bad-parameter",
      `cannot use the label template ${quoted(this.#templateText)}: no request has the field ${quoted(unknown)}, known are ${[...this.#seen].map(quoted).join(", ")}`,
    );
  }
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === "string" || typeof value === "number" || typeof value === "boolean";
}
