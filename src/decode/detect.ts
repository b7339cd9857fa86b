import { UserError } from "../model/errors.ts";
import type { Format } from "./decoder.ts";
import { quoted } from "./quoted.ts";
import { FORMATS_ABOUT } from "./formats-about.ts";
import { OTHER_REFUSALS, OTHER_TOOLS } from "./other-tools.ts";

/** Bytes that decide whether a head is text. */
const LOOKED_AT = 4096;

/** The signs of JMeter and k6, which come last, are also in tables and reports of other tools. */
const REFUSALS = [
  ...OTHER_REFUSALS,
  ...[...OTHER_TOOLS, ...FORMATS_ABOUT.toReversed()].flatMap(({ refusals = [] }) => refusals),
];

/** The first format that recognises `head` (at most 64 KiB). Throws `unreadable-source` with what it looks like. */
export function detectFormat(head: Uint8Array, formats: readonly Format[]): Format {
  const format = formats.find((each) => each.recognises(head));
  if (format !== undefined) return format;
  const known = unsupportedFormat(head);
  const description =
    known ?? `${describeContents(head)}; docs/tools/README.md lists the tools that are read`;
  throw new UserError("unreadable-source", `cannot read the source: ${description}`);
}

/** Throws `bad-parameter` with the names there are. */
export function formatNamed(name: string, formats: readonly Format[]): Format {
  const format = formats.find((each) => each.name === name);
  if (format !== undefined) return format;
  const names = formats.map((each) => each.name).join(", ");
  throw new UserError("bad-parameter", `unknown format ${quoted(name)}: expected one of ${names}`);
}

/** What a known but unsupported source is, and what to do instead, as the end of a sentence. */
export function unsupportedFormat(head: Uint8Array): string | undefined {
  const trimmed = textOf(head).trimStart();
  const known = REFUSALS.find(({ signs }) => signs.every((sign) => sign.test(trimmed)));
  if (known === undefined) return undefined;
  return `it looks like ${known.what}${known.cure === undefined ? "" : `; ${known.cure}`}`;
}

/** What any other source seems to be, as the end of a sentence. */
export function describeContents(head: Uint8Array): string {
  const nothing = nothingIn(head);
  if (nothing !== undefined) return nothing;
  const text = textOf(head);
  const trimmed = text.trimStart();
  return binaryKind(head, text) ?? structured(trimmed) ?? `it is text beginning ${quoted(trimmed)}`;
}

function textOf(head: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(head);
}

function nothingIn(head: Uint8Array): string | undefined {
  if (head.length === 0) return "it is empty";
  if (head.every((byte) => byte === 0)) return `its first ${head.length} bytes are all NUL`;
  const blank = head.every((byte) => byte <= 0x20 && byte !== 0);
  return blank ? `its first ${head.length} bytes are all blanks and newlines` : undefined;
}

const MAGIC: readonly [what: string, sign: RegExp][] = [
  ["an SQLite database", /^SQLite format 3\0/],
  ["a PDF document", /^%PDF-/],
  ["a PNG picture", /^\uFFFDPNG/],
  ['a Parquet file ("tachograph import" reads those that "tachograph export" wrote)', /^PAR1/],
  ["a program", /^(?:\u007FELF|MZ)/],
];

function binaryKind(head: Uint8Array, text: string): string | undefined {
  const magic = MAGIC.find(([, sign]) => sign.test(text));
  if (magic !== undefined) return `it is ${magic[0]}`;
  const start = head.subarray(0, LOOKED_AT);
  const zeros = start.reduce((sum, byte) => sum + (byte === 0 ? 1 : 0), 0);
  if (zeros > start.length * 0.4 && zeros < start.length * 0.6) {
    return "it seems to be UTF-16 without a byte order mark; save it as UTF-8";
  }
  const unreadable = text.slice(0, LOOKED_AT).match(/(?!\s)[\p{Cc}\uFFFD]/gu)?.length ?? 0;
  if (unreadable <= Math.min(text.length, LOOKED_AT) / 10) return undefined;
  return `it is binary, beginning ${[...head.subarray(0, 8)].map(hex).join(" ")}`;
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

/** Its first value, unlike the date or level at the start of a log. */
const JSON_ARRAY = /^\[\s*(?:[[{"\]]|(?:-?\d[\d.eE+-]*|true|false|null)\s*[,\]])/;

function structured(text: string): string | undefined {
  if (text.startsWith("{")) return `it is JSON with the keys ${keysIn(text)}`;
  if (JSON_ARRAY.test(text)) return `it is a JSON array beginning ${quoted(text)}`;
  if (text.startsWith("<")) return `it is XML or the like, beginning ${quoted(text)}`;
  return columnsIn(text);
}

function keysIn(text: string): string {
  const keys = [...text.matchAll(/"((?:[^"\\]|\\.){1,40})"\s*:/g)].slice(0, 5);
  return keys.length === 0
    ? "that cannot be read"
    : keys
        .map((key) => key[1] as string)
        .map(quoted)
        .join(", ");
}

/** A table has as many separators in its second line as in its first. */
function columnsIn(text: string): string | undefined {
  const [first = "", second = ""] = text.split(/\r?\n/, 2);
  for (const separator of [",", ";", "\t", "|"]) {
    const columns = first.split(separator);
    const alike = second === "" || second.split(separator).length === columns.length;
    if (columns.length < 3 || !alike) continue;
    const names = columns.slice(0, 5).map((name) => quoted(name.replaceAll('"', "")));
    return `it is a table with the columns ${names.join(", ")}`;
  }
  return undefined;
}
