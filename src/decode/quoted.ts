/** Characters that could change how the text around them is shown. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\\"]/gu;

/** In characters. */
const SHOWN = 60;

/** Text of a source in double quotes for messages; long text is truncated with `…`. */
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

/** Ignores blanks and line ends at the beginning. */
export function beginsWith(head: Uint8Array, text: string): boolean {
  return headText(head).startsWith(text);
}

/** Decodes the head without its leading blanks. */
export function headText(head: Uint8Array): string {
  return new TextDecoder().decode(head).trimStart();
}
