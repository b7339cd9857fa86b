import { APOSTROPHE, BLANK, GREATER, LESS, LINE_FEED, QUOTE, SLASH } from "../bytes/ascii.ts";
import { UserError } from "../../model/errors.ts";
import { ByteWindow } from "../bytes/byte-window.ts";
import { HOLE_BYTES } from "../bytes/line-reader.ts";
import { RECORD_BYTES_MAX } from "../decoder.ts";

/** Stored beginning of an overlong tag. */
const LONG_TAG_KEPT_BYTES = 256;
/** Shorter text, mostly blanks between tags, is searched byte by byte. */
const SHORT_TEXT_BYTES = 16;

/** Bytes readable after a token, for comparisons by words. */
const BYTES_AFTER = 3;

/**
 * `start`: start tag or empty element; `end`: end tag; `broken`: tag interrupted by another or by a hole; `long`: start tag
 * over `RECORD_BYTES_MAX` bytes, truncated; `text`: text with references, perhaps in chunks; `literal`: CDATA
 * text. All are at `[from, to)`.
 */
export type XmlToken = "start" | "end" | "broken" | "long" | "text" | "literal";

/** Sections that are skipped or read up to a mark. */
const SECTIONS = {
  comment: { title: "comment", begins: "<!--", ends: "-->" },
  instruction: { title: "processing instruction", begins: "<?", ends: "?>" },
  literal: { title: "CDATA section", begins: "<![CDATA[", ends: "]]>" },
} as const;

type Section = keyof typeof SECTIONS;
const SECTION_NAMES = ["comment", "instruction", "literal"] as const;
const LONGEST_BEGINNING = SECTIONS.literal.begins.length;

/**
 * Splits XML into tags and text in bounded memory. Tolerates forbidden characters, broken tags and several
 * documents. Knows no entities and refuses a DOCTYPE, so that no file can expand or load others.
 */
export class XmlReader {
  /** Bytes of the last token, valid until the next `next`. */
  bytes: Buffer = Buffer.alloc(0);
  from = 0;
  to = 0;
  /** Whether the last start tag is `<a/>`. */
  isEmpty = false;
  /** Whether text is returned or skipped. */
  wantsText = true;
  /** Whether text that is not blank is returned where text is skipped; it begins at `place`. */
  noticesText = false;
  readonly #window = new ByteWindow();
  #state: "text" | "tag" | Section = "text";
  /** Offset in the source of the last or open token. */
  #tokenByte = 0;
  /** Its line, if needed. */
  #tokenLine: number | undefined;
  /** Bytes of the open tag scanned, and dropped. */
  #scanned = 0;
  #dropped = 0;
  /** Open quote within the open tag; 0: none. */
  #openQuote = 0;
  #lastDropped: number | undefined;
  #longTag: Buffer | undefined;
  /** Line of offset `#countedTo`. */
  #line = 1;
  #countedTo = 0;

  /** All tokens of the last chunk must have been read. */
  append(chunk: Uint8Array): void {
    if (this.#state !== "text") this.place();
    this.#countLines(this.#window.offsetOf(this.#window.from));
    this.#window.append(chunk);
  }

  /** `undefined` if more bytes are needed. Throws on a DOCTYPE. */
  next(): XmlToken | undefined {
    for (;;) {
      const before = this.#window.from;
      const state = this.#state;
      const token = this.#step();
      if (token !== undefined) return token;
      if (this.#state === state && this.#window.from === before) return undefined;
    }
  }

  /** Skips the element that has just started if it has only text and is complete. Returns whether it did. */
  skipElement(): boolean {
    const { bytes, from, to } = this.#window;
    // A long tag is held elsewhere.
    if (this.isEmpty || this.bytes !== bytes) return false;
    const name = this.from;
    const end = textEnd(bytes, from, to) + 2;
    const length = wordEnd(bytes, name) - name;
    if (bytes[end - 1] !== SLASH || end + length >= to) return false;
    for (let at = 0; at < length; at++) if (bytes[end + at] !== bytes[name + at]) return false;
    const isEnd = bytes[end + length] === GREATER;
    if (isEnd) this.#window.settle(end + length + 1);
    return isEnd;
  }

  place(): { line: number; byte: number } {
    if (this.#tokenLine === undefined) {
      this.#countLines(this.#tokenByte);
      this.#tokenLine = this.#line;
    }
    return { line: this.#tokenLine, byte: this.#tokenByte };
  }

  end(): { line: number; byte: number; inside: string | undefined } {
    const { from, to } = this.#window;
    const state = this.#state;
    if (state === "text") this.#begin(from);
    if (state !== "text" && state !== "tag") {
      return { ...this.place(), inside: SECTIONS[state].title };
    }
    return { ...this.place(), inside: state === "tag" || from < to ? "tag" : undefined };
  }

  #step(): XmlToken | undefined {
    if (this.#state === "text") return this.#readText();
    if (this.#state === "tag") return this.#readTag();
    return this.#readSection(this.#state);
  }

  #readText(): XmlToken | undefined {
    const window = this.#window;
    if (!this.wantsText) {
      const text = this.#skipText();
      if (text !== undefined) return text;
    }
    const { bytes, from, to } = window;
    if (from === to) return undefined;
    if (bytes[from] === LESS) {
      const markup = this.#markupAt(from);
      if (markup === "unknown") return undefined;
      const token = markup === "tag" ? this.#readEndTag(from) : undefined;
      if (token !== undefined) return token;
      if (markup !== "text") {
        this.#begin(from);
        this.#state = markup;
        if (markup !== "tag") this.#window.settle(from + SECTIONS[markup].begins.length);
        return undefined;
      }
    }
    const end = textEnd(bytes, from + 1, to);
    if (!this.wantsText) this.#begin(from);
    return this.#emit("text", from, end, end);
  }

  #skipText(): XmlToken | undefined {
    const { bytes, from, to } = this.#window;
    const end = textEnd(bytes, from, to);
    if (this.noticesText) {
      for (let at = from; at < end; at++) {
        const byte = bytes[at] as number;
        // NUL is no blank: lost data reads as NUL.
        if (byte <= BLANK && byte !== 0) continue;
        this.#begin(at);
        return this.#emit("text", at, end, end);
      }
    }
    this.#window.settle(end);
    return undefined;
  }

  /** Fast path for a complete end tag. */
  #readEndTag(from: number): XmlToken | undefined {
    const { bytes } = this.#window;
    if (bytes[from + 1] !== SLASH) return undefined;
    const nameTo = wordEnd(bytes, from + 2);
    if (bytes[nameTo] !== GREATER || nameTo - from >= RECORD_BYTES_MAX) return undefined;
    this.#begin(from);
    return this.#emit("end", from + 2, nameTo, nameTo + 1);
  }

  /** What the `<` at `at` begins. */
  #markupAt(at: number): "text" | "tag" | "unknown" | Section {
    const { bytes, to } = this.#window;
    const isEnd = bytes[at + 1] === SLASH && at + 1 < to;
    const first = at + (isEnd ? 2 : 1);
    if (first >= to) return "unknown";
    if (isNameStart(bytes[first] as number)) return "tag";
    if (isEnd) return "text";
    const beginning = bytes.toString("latin1", at, Math.min(at + LONGEST_BEGINNING, to));
    const section = SECTION_NAMES.find((name) => beginning.startsWith(SECTIONS[name].begins));
    if (section !== undefined) return section;
    if (SECTION_NAMES.some((name) => SECTIONS[name].begins.startsWith(beginning))) return "unknown";
    if (!beginning.startsWith("<!")) return "text";
    this.#begin(at);
    throw new UserError("unreadable-source", `DOCTYPE is not allowed (line ${this.place().line})`);
  }

  #readTag(): XmlToken | undefined {
    const { bytes, from, to } = this.#window;
    const start = from - this.#dropped;
    let quote = this.#openQuote;
    for (let at = start + Math.max(this.#scanned, 1); at < to; at++) {
      const byte = bytes[at] as number;
      if (byte === LESS || (byte === 0 && endsHole(bytes, start, at))) {
        return this.#endTag("broken", start, at, at);
      }
      if (quote !== 0) {
        if (byte === quote) quote = 0;
      } else if (byte === GREATER) {
        return this.#endTag("start", start, at, at + 1);
      } else if (byte === QUOTE || byte === APOSTROPHE) {
        quote = byte;
      }
    }
    this.#openQuote = quote;
    this.#scanned = to - start;
    if (this.#scanned > RECORD_BYTES_MAX) this.#dropTag(start);
    return undefined;
  }

  /** Returns the tag at `start`, whose contents end at `end`. */
  #endTag(kind: "start" | "broken", start: number, end: number, next: number): XmlToken {
    const { bytes, from } = this.#window;
    this.isEmpty = (end > from ? bytes[end - 1] : this.#lastDropped) === SLASH;
    const isLong = next - start > RECORD_BYTES_MAX;
    if (isLong) this.#keepBeginning(start);
    const long = this.#longTag;
    this.bytes = long ?? bytes;
    this.from = long === undefined ? start + 1 : 0;
    this.to = long === undefined ? end : LONG_TAG_KEPT_BYTES;
    this.#window.settle(next);
    this.#state = "text";
    if (kind === "broken") return kind;
    if (this.bytes[this.from] === SLASH) {
      this.from += 1;
      return "end";
    }
    if (isLong) return "long";
    if (this.isEmpty) this.to -= 1;
    return kind;
  }

  #dropTag(start: number): void {
    const { bytes, from, to } = this.#window;
    this.#keepBeginning(start);
    this.#lastDropped = bytes[to - 1];
    this.#dropped += to - from;
    this.#window.settle(to);
  }

  #keepBeginning(start: number): void {
    if (this.#longTag !== undefined) return;
    const [from, kept] = [start + 1, LONG_TAG_KEPT_BYTES + BYTES_AFTER];
    this.#longTag = Buffer.from(this.#window.bytes.subarray(from, from + kept));
  }

  #readSection(section: Section): XmlToken | undefined {
    const { bytes, from, to } = this.#window;
    const { ends } = SECTIONS[section];
    const found = bytes.indexOf(ends, from, "latin1");
    const isWhole = found >= 0 && found + ends.length <= to;
    // The end mark may be incomplete.
    const end = isWhole ? found : Math.max(from, to - ends.length + 1);
    if (isWhole) this.#state = "text";
    const next = isWhole ? end + ends.length : end;
    if (section === "literal" && end > from) return this.#emit("literal", from, end, next);
    this.#window.settle(next);
    return undefined;
  }

  #begin(at: number): void {
    this.#tokenByte = this.#window.offsetOf(at);
    this.#tokenLine = undefined;
    this.#scanned = 0;
    this.#dropped = 0;
    this.#openQuote = 0;
    this.#lastDropped = undefined;
    this.#longTag = undefined;
  }

  #emit(token: XmlToken, from: number, to: number, next: number): XmlToken {
    this.bytes = this.#window.bytes;
    this.from = from;
    this.to = to;
    this.#window.settle(next);
    return token;
  }

  /** Counts lines up to offset `until`, which is still in the window. */
  #countLines(until: number): void {
    const { bytes } = this.#window;
    const base = this.#window.offsetOf(0);
    const end = until - base;
    for (let at = bytes.indexOf(LINE_FEED, this.#countedTo - base); at >= 0 && at < end;) {
      this.#line += 1;
      at = bytes.indexOf(LINE_FEED, at + 1);
    }
    this.#countedTo = Math.max(this.#countedTo, until);
  }
}

/** Whether the NUL at `at` completes a hole: a part of the source was never written. */
function endsHole(bytes: Uint8Array, start: number, at: number): boolean {
  const from = at + 1 - HOLE_BYTES;
  return from >= start && bytes.subarray(from, at).every((byte) => byte === 0);
}

/** End of the name at `from`. */
function wordEnd(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isOfWord(bytes[at] as number)) at += 1;
  return at;
}

function isOfWord(byte: number): boolean {
  if (byte <= SLASH) return byte > QUOTE && byte < SLASH && byte !== APOSTROPHE;
  return byte < LESS || byte > GREATER;
}

/** End of the text that began before `from`. */
function textEnd(bytes: Buffer, from: number, to: number): number {
  const near = Math.min(from + SHORT_TEXT_BYTES, to);
  for (let at = from; at < near; at++) if (bytes[at] === LESS) return at;
  const less = bytes.indexOf(LESS, near);
  return less < 0 || less > to ? to : less;
}

function isNameStart(byte: number): boolean {
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || byte === 0x5f || byte === 0x3a || byte >= 0x80;
}
