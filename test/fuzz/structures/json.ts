import { RawNumber, type Structure } from "./structure.ts";

/** JSON whose numbers may be any text. */
export const json: Structure = {
  decode(input) {
    const text = Buffer.from(input).toString();
    if (depthOf(text) > DEPTH_MAX) return undefined;
    try {
      return [JSON.parse(text)];
    } catch {
      return undefined;
    }
  },
  encode: (value) => Buffer.from((value as readonly unknown[]).slice(0, 1).map(jsonText).join("")),
};

/** Deeper values stay bytes: writing them takes the stack. */
const DEPTH_MAX = 500;

/** At most; brackets in texts count, too. */
function depthOf(text: string): number {
  let [depth, deepest] = [0, 0];
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth += bracket === "[" || bracket === "{" ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** One document, or a line of JSON for each item. */
export const jsonLines: Structure = {
  decode(input) {
    const whole = json.decode(input);
    if (whole !== undefined) return whole;
    const lines = Buffer.from(input).toString().split("\n");
    const items = lines.map((line) => json.decode(Buffer.from(line)) ?? [line]);
    return items.map((item) => (item as readonly unknown[])[0]);
  },
  encode: (value) =>
    Buffer.from(
      (value as readonly unknown[])
        .map((item) => (typeof item === "string" ? item : jsonText(item)))
        .join("\n"),
    ),
};

/** Of a private use, so that no input has it by chance. */
const MARK = "\u{f0000}";
const MARKED = new RegExp(`"${MARK}([^"]*)${MARK}"`, "gu");

function jsonText(value: unknown): string {
  const text = JSON.stringify(value, (_, member: unknown) =>
    member instanceof RawNumber ? `${MARK}${member.text}${MARK}` : member,
  );
  return (text ?? "null").replaceAll(MARKED, "$1");
}
