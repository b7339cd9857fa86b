import { UserError } from "../model/errors.ts";
import { LabelTemplate, templateFields } from "./label-template.ts";
import type { LabelTable } from "./label-table.ts";
import { quoted } from "./quoted.ts";

/** Tags that k6 gives its requests; which of them, depends on its version, `systemTags` and the request. */
const SYSTEM_TAGS: readonly string[] = [
  "name",
  "url",
  "method",
  "status",
  "group",
  "scenario",
  "error",
  "error_code",
  "expected_response",
  "proto",
  "subproto",
  "service",
  "tls_version",
  "check",
  "ip",
  "ocsp_status",
];

const encoder = new TextEncoder();

/** Tags of one request, and whatever else stands with them. */
export type K6Tags = Readonly<Record<string, unknown>>;

/**
 * The labels of k6's JSON where a template puts them together: of k6's tags, and of those that a
 * script gives its requests, which nothing announces.
 */
export class K6JsonLabel {
  readonly #templateText: string;
  readonly #template: LabelTemplate;
  readonly #fields: readonly string[];
  readonly #seen = new Set(SYSTEM_TAGS);
  #requests = 0;

  constructor(template: string) {
    this.#templateText = template;
    this.#fields = templateFields(template);
    this.#template = new LabelTemplate(template, this.#fields);
  }

  /** The index of a request's label in `labels`, or `LABEL_TOO_LONG`. */
  indexIn(labels: LabelTable, tags: K6Tags): number {
    this.#requests += 1;
    for (const tag of Object.keys(tags)) this.#seen.add(tag);
    return this.#template.indexIn(labels, (field) => {
      const value = tags[this.#fields[field] as string];
      return encoder.encode(typeof value === "string" ? value : "");
    });
  }

  /** Throws `bad-parameter` where no request had a tag that the template names. */
  checkTags(): void {
    const unknown = this.#fields.find((field) => !this.#seen.has(field));
    if (unknown === undefined || this.#requests === 0) return;
    throw new UserError(
      "bad-parameter",
      `cannot use the label template ${quoted(this.#templateText)}: no request has the tag ${quoted(unknown)}, known are ${[...this.#seen].map(quoted).join(", ")}`,
    );
  }
}
