/** What could change how a terminal or a page shows the text around it: escaped, never printed. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\\"]/gu;

/** Longest piece of a source that is shown, in characters. */
const SHOWN = 60;

/** A piece of a source in double quotes, for an error or a report; long text is cut with `…`. */
export function quoted(text: string): string {
  const beginning = text.slice(0, 2 * SHOWN + 2);
  const characters = Array.from(beginning);
  const cut = characters.length > SHOWN || text.length > beginning.length;
  const shown = characters.slice(0, SHOWN).join("").replaceAll(INVISIBLE, escaped);
  return `"${shown}${cut ? "…" : ""}"`;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
  "\\": "\\\\",
  '"': '\\"',
};

function escaped(character: string): string {
  const short = SHORT_ESCAPES[character];
  return short ?? `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}

/** Whether a source begins with this text, line ends and blanks in front of it aside. */
export function beginsWith(head: Uint8Array, text: string): boolean {
  return headText(head).startsWith(text);
}

/** The beginning of a source as text, without the blanks in front. */
export function headText(head: Uint8Array): string {
  return new TextDecoder().decode(head).trimStart();
}
