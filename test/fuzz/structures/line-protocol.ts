import { RawNumber, type Structure } from "./structure.ts";

/** Lines of InfluxDB's protocol: lists of parts, of members `NAME=VALUE`, of name and value. */
export const lineProtocol: Structure = {
  decode: (input) =>
    Buffer.from(input)
      .toString()
      .split("\n")
      .map((line) => partsOf(line, " ").map(membersOf)),
  encode: (value) => Buffer.from(joined(value, ["\n", " ", ",", "="])),
};

function membersOf(part: string): readonly unknown[] {
  return partsOf(part, ",").map((member) => {
    const [name = "", ...values] = partsOf(member, "=");
    return values.length === 0 ? numberIn(name) : [name, numberIn(values.join("="))];
  });
}

/** Divided, but not behind a backslash or within quotes. */
function partsOf(text: string, separator: string): readonly string[] {
  const parts: string[] = [];
  let [from, isQuoted] = [0, false];
  for (let at = 0; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === separator && !isQuoted) {
      parts.push(text.slice(from, at));
      from = at + 1;
    }
  }
  return [...parts, text.slice(from)];
}

/** Numbers are replaced by others, and keep the sign of their type. */
function numberIn(text: string): unknown {
  const [, digits, type] = /^(-?\d[\d.e+-]*)([iu]?)$/.exec(text) ?? [];
  if (digits === undefined) return text;
  return type === "" ? new RawNumber(digits) : [new RawNumber(digits), type];
}

/** A list below members is a number and its type. */
function joined(value: unknown, [separator = "", ...below]: readonly string[]): string {
  if (value instanceof RawNumber) return value.text;
  if (!Array.isArray(value)) return typeof value === "string" ? value : "";
  return value.map((each) => joined(each, below)).join(separator);
}
