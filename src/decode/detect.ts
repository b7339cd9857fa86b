import { UserError } from "../model/errors.ts";
import type { Format } from "./decoder.ts";
import { knownLikeness, looksLike } from "./looks-like.ts";
import { quoted } from "./quoted.ts";

/**
 * The first of `formats` that recognises a source beginning with `head` (its first 64 KiB, or all
 * of a shorter one). Throws `unreadable-source` with one sentence that says what it looks like.
 */
export function detectFormat(head: Uint8Array, formats: readonly Format[]): Format {
  const format = formats.find((each) => each.recognises(head));
  if (format !== undefined) return format;
  const known = knownLikeness(head);
  const saying = known ?? `${looksLike(head)}; docs/tools/README.md lists the tools that are read`;
  throw new UserError("unreadable-source", `cannot read the source: ${saying}`);
}

/** The format that the user has named. Throws `bad-parameter` with the names there are. */
export function formatNamed(name: string, formats: readonly Format[]): Format {
  const format = formats.find((each) => each.name === name);
  if (format !== undefined) return format;
  const names = formats.map((each) => each.name).join(", ");
  throw new UserError("bad-parameter", `unknown format ${quoted(name)}: expected one of ${names}`);
}
