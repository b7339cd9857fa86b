import { UserError } from "../../model/errors.ts";
import { quoted } from "../quoted.ts";

/** The columns of a table, by the names in its first line. */
export class TableColumns {
  readonly names: readonly string[];
  readonly #format: string;

  /** `format` is the name that errors give. */
  constructor(names: readonly string[], format: string) {
    this.names = names;
    this.#format = format;
  }

  /** The first column of that name, if there is one. */
  find(name: string): number | undefined {
    const index = this.names.indexOf(name);
    return index < 0 ? undefined : index;
  }

  /** The first column of one of those names. Throws `unreadable-source` where there is none. */
  require(...names: readonly string[]): number {
    const index = this.names.findIndex((name) => names.includes(name));
    if (index >= 0) return index;
    const [only] = names;
    const wanted =
      names.length === 1 ? `no ${only} column` : `none of the columns ${names.join(", ")}`;
    throw new UserError(
      "unreadable-source",
      `cannot read this as ${this.#format}: the header has ${wanted}, got ${quoted(this.names.join(" "))}`,
    );
  }
}
