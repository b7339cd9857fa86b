import {
  AMPERSAND,
  APOSTROPHE,
  BLANK,
  CARRIAGE_RETURN,
  EQUALS,
  HASH,
  LINE_FEED,
  QUOTE,
  SEMICOLON,
  TAB,
} from "../bytes/ascii.ts";

const SMALL_X = 0x78;

const HIGH_SURROGATES = [0xd800, 0xdbff] as const;
const LOW_SURROGATES = [0xdc00, 0xdfff] as const;
const REPLACEMENT = 0xfffd;
const CODE_POINT_MAX = 0x10ffff;

/** The predefined entities; no others are expanded. */
const NAMED = new Map(
  [
    ["amp", "&"],
    ["lt", "<"],
    ["gt", ">"],
    ["quot", '"'],
    ["apos", "'"],
  ].map(([name = "", character = ""]) => [name, character.charCodeAt(0)]),
);
const NAME_LENGTH_MAX = 4;

/** `bytes` must have room for all that is added. */
export interface TextTarget {
  readonly bytes: Uint8Array;
  /** Write position. */
  length: number;
}

/**
 * Appends an attribute value; line ends and tabs become blanks. References to forbidden characters are resolved,
 * as JMeter writes them; surrogate halves are joined, lone ones and invalid code points become U+FFFD; unknown
 * entities stay. Never longer than the input.
 */
export function addAttribute(
  target: TextTarget,
  bytes: Uint8Array,
  from: number,
  to: number,
): void {
  add(target, bytes, [from, to], { tab: BLANK, lineEnd: BLANK });
}

/** Appends element text; line ends and tabs stay, CRLF becomes LF. */
export function addText(target: TextTarget, bytes: Uint8Array, from: number, to: number): void {
  add(target, bytes, [from, to], { tab: TAB, lineEnd: LINE_FEED });
}

function add(
  target: TextTarget,
  bytes: Uint8Array,
  [from, to]: readonly [number, number],
  { tab, lineEnd }: { readonly tab: number; readonly lineEnd: number },
): void {
  for (let at = from; at < to;) {
    const byte = bytes[at] as number;
    if (byte === AMPERSAND) {
      at = addReference(target, bytes, at, to);
      continue;
    }
    at += 1;
    const isEnd = byte === CARRIAGE_RETURN || byte === LINE_FEED;
    const isFirstOfTwo = byte === CARRIAGE_RETURN && bytes[at] === LINE_FEED && at < to;
    if (isFirstOfTwo) continue;
    if (isEnd) addByte(target, lineEnd);
    else addByte(target, byte === TAB ? tab : byte);
  }
}

/** Returns the end of the reference, or the position after its ampersand. */
function addReference(target: TextTarget, bytes: Uint8Array, from: number, to: number): number {
  const codePoint =
    bytes[from + 1] === HASH
      ? numericReference(bytes, from + 2, to)
      : namedReference(bytes, from + 1, to);
  if (codePoint === undefined) {
    addByte(target, AMPERSAND);
    return from + 1;
  }
  const end = bytes.indexOf(SEMICOLON, from) + 1;
  const low = isIn(codePoint, HIGH_SURROGATES) ? lowSurrogate(bytes, end, to) : undefined;
  if (low === undefined) {
    addCodePoint(target, scalar(codePoint));
    return end;
  }
  addCodePoint(target, 0x10000 + ((codePoint & 0x3ff) << 10) + (low & 0x3ff));
  return bytes.indexOf(SEMICOLON, end) + 1;
}

/** The second half of a character that Java wrote as two references. */
function lowSurrogate(bytes: Uint8Array, from: number, to: number): number | undefined {
  if (bytes[from] !== AMPERSAND || bytes[from + 1] !== HASH) return undefined;
  const codePoint = numericReference(bytes, from + 2, to);
  return codePoint !== undefined && isIn(codePoint, LOW_SURROGATES) ? codePoint : undefined;
}

function isIn(codePoint: number, [first, last]: readonly [number, number]): boolean {
  return codePoint >= first && codePoint <= last;
}

function namedReference(bytes: Uint8Array, from: number, to: number): number | undefined {
  let name = "";
  for (let at = from; at < to && name.length <= NAME_LENGTH_MAX; at++) {
    if (bytes[at] === SEMICOLON) return NAMED.get(name);
    name += String.fromCharCode(bytes[at] as number);
  }
  return undefined;
}

function numericReference(bytes: Uint8Array, from: number, to: number): number | undefined {
  const base = bytes[from] === SMALL_X ? 16 : 10;
  const first = base === 16 ? from + 1 : from;
  let codePoint = 0;
  for (let at = first; at < to; at++) {
    const byte = bytes[at] as number;
    if (byte === SEMICOLON) return at === first ? undefined : codePoint;
    const digit = Number.parseInt(String.fromCharCode(byte), base);
    if (Number.isNaN(digit)) return undefined;
    codePoint = Math.min(codePoint * base + digit, CODE_POINT_MAX + 1);
  }
  return undefined;
}

function scalar(codePoint: number): number {
  const isSurrogate = isIn(codePoint, HIGH_SURROGATES) || isIn(codePoint, LOW_SURROGATES);
  return isSurrogate || codePoint > CODE_POINT_MAX ? REPLACEMENT : codePoint;
}

function addCodePoint(target: TextTarget, codePoint: number): void {
  if (codePoint < 0x80) {
    addByte(target, codePoint);
  } else if (codePoint < 0x800) {
    addByte(target, 0xc0 | (codePoint >> 6));
    addByte(target, 0x80 | (codePoint & 0x3f));
  } else if (codePoint < 0x10000) {
    addByte(target, 0xe0 | (codePoint >> 12));
    addByte(target, 0x80 | ((codePoint >> 6) & 0x3f));
    addByte(target, 0x80 | (codePoint & 0x3f));
  } else {
    addByte(target, 0xf0 | (codePoint >> 18));
    addByte(target, 0x80 | ((codePoint >> 12) & 0x3f));
    addByte(target, 0x80 | ((codePoint >> 6) & 0x3f));
    addByte(target, 0x80 | (codePoint & 0x3f));
  }
}

function addByte(target: TextTarget, byte: number): void {
  target.bytes[target.length] = byte;
  target.length += 1;
}

/** Iterates over the attributes of a tag; skips anything but `name="value"`. */
export class XmlAttributes {
  /** Bounds of the current name and value, without quotes, as written. */
  nameFrom = 0;
  nameTo = 0;
  valueFrom = 0;
  valueTo = 0;
  /** Whether the value has references, tabs or line ends, and so is not as written. */
  isEscaped = false;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;
  #to = 0;

  /** Starts with the tag at `[from, to)`; returns where its name ends. */
  begin(bytes: Uint8Array, from: number, to: number): number {
    this.#bytes = bytes;
    this.#to = to;
    this.#at = this.#endOfWord(from);
    return this.#at;
  }

  /** Returns `false` if there are no more attributes. */
  next(): boolean {
    while (this.#at < this.#to) {
      this.nameFrom = this.#skipBlanks(this.#at);
      this.nameTo = this.#endOfWord(this.nameFrom);
      const equals = this.#skipBlanks(this.nameTo);
      const open = this.#skipBlanks(equals + 1);
      const quote = this.#byte(open);
      if (this.#byte(equals) === EQUALS && (quote === QUOTE || quote === APOSTROPHE)) {
        this.valueFrom = open + 1;
        this.valueTo = this.#find(quote, open + 1);
        this.#at = this.valueTo + 1;
        return true;
      }
      this.#at = Math.max(this.nameTo, this.#at + 1);
    }
    return false;
  }

  #byte(at: number): number | undefined {
    return at < this.#to ? this.#bytes[at] : undefined;
  }

  #skipBlanks(from: number): number {
    let at = from;
    while (at < this.#to && (this.#bytes[at] as number) <= BLANK) at++;
    return at;
  }

  #endOfWord(from: number): number {
    let at = from;
    for (; at < this.#to; at++) {
      const byte = this.#bytes[at] as number;
      if (byte <= BLANK || byte === EQUALS) break;
    }
    return at;
  }

  #find(quote: number, from: number): number {
    const [bytes, to] = [this.#bytes, this.#to];
    let isEscaped = false;
    let at = from;
    for (; at < to; at++) {
      const byte = bytes[at];
      if (byte === quote) break;
      if (byte === AMPERSAND || (byte as number) < BLANK) isEscaped = true;
    }
    this.isEscaped = isEscaped;
    return at;
  }
}
