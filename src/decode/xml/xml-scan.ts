const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;
const LESS = 0x3c;
const GREATER = 0x3e;

/** Shorter text, mostly blanks between tags, is searched byte by byte. */
const SHORT_TEXT_BYTES = 16;

/** End of the name at `from`. */
export function wordEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isOfWord(bytes[at] as number)) at += 1;
  return at;
}

function isOfWord(byte: number): boolean {
  if (byte <= SLASH) return byte > QUOTE && byte < SLASH && byte !== APOSTROPHE;
  return byte < LESS || byte > GREATER;
}

/** End of the text that began before `from`. */
export function textEnd(bytes: Buffer, from: number, to: number): number {
  const near = Math.min(from + SHORT_TEXT_BYTES, to);
  for (let at = from; at < near; at++) if (bytes[at] === LESS) return at;
  const less = bytes.indexOf(LESS, near);
  return less < 0 || less > to ? to : less;
}

/** Whether a name may begin with this byte. */
export function isNameStart(byte: number): boolean {
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || byte === 0x5f || byte === 0x3a || byte >= 0x80;
}
