import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  LINE_FEED,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
  BACKSLASH,
} from "../bytes/ascii.ts";
import type { Rejection } from "../../model/import-report.ts";
import type { ByteWindow } from "../bytes/byte-window.ts";
import { quoted } from "../quoted.ts";

export type JsonScalarKind = "string" | "number" | "word";

/** Handles the contents of a JSON document, in order. */
export interface JsonHandler {
  /** An object or array begins; `key` may be empty. Returns whether to read it: if not, `leave` is not called. */
  enter(key: string, isArray: boolean): boolean;
  leave(): void;
  /**
   * A scalar value. Strings over `JSON_TEXT_BYTES_MAX` bytes are truncated; numbers are as written; words are
   * `true`, `false` or `null`.
   */
  scalar(key: string, kind: JsonScalarKind, text: string): void;
}

/** Longer strings are truncated. */
export const JSON_TEXT_BYTES_MAX = 64 * 1024;

const BEGINNING_BYTES = 4096;
/** Longer numbers and words are invalid. */
const PLAIN_BYTES_MAX = 1024;
const DEPTH_MAX = 512;

const NO_CONTROL = "no control character in a string";
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;
const WORDS: readonly string[] = ["true", "false", "null"];

type Expected =
  | "value"
  | "first-value"
  | "first-key"
  | "key"
  | "colon"
  | "next"
  | "nothing"
  | "document";

const WANTED: Readonly<Record<Expected, string>> = {
  value: "a value",
  "first-value": "a value or ]",
  "first-key": "a key or }",
  key: "a key",
  colon: "a colon",
  next: "a comma or the end of the object or array",
  nothing: "nothing after the end of the document",
  document: "another document",
};

/** Reads a JSON document, or several, as its bytes arrive, one string at a time. Checks unwanted contents for nesting only. */
export class JsonReader {
  readonly #window: ByteWindow;
  readonly #handler: JsonHandler;
  readonly #isArray: boolean[] = [];
  /** Depth of the first unwanted container. */
  #wantedDepth = Infinity;
  #expected: Expected = "value";
  #key = "";
  #linesRead = 0;
  /** Bytes after the opening quote already scanned. */
  #scanned = 0;
  readonly #stringEnd = new JsonStringEnd();
  /** Beginning of an overlong string being skipped. */
  #longText: string | undefined;
  #problem: Rejection | undefined;
  #line = 1;
  #byte = 0;

  readonly #after: "nothing" | "document";

  /** `after`: what may follow a document. */
  constructor(window: ByteWindow, handler: JsonHandler, after: "nothing" | "document" = "nothing") {
    this.#window = window;
    this.#handler = handler;
    this.#after = after;
  }

  /** Where the current value begins. */
  get place(): { readonly line: number; readonly byte: number } {
    return { line: this.#line, byte: this.#byte };
  }

  /** Must be called after each `append`. */
  read(): void {
    this.#read(false);
  }

  /** Returns where the document is truncated or invalid. */
  end(): Rejection | undefined {
    this.#read(true);
    if (this.#problem !== undefined) return this.#problem;
    if (this.#expected === this.#after) return undefined;
    const reason = `the source ends inside the JSON document: want ${WANTED[this.#expected]}`;
    return { line: this.#linesRead + 1, byte: this.#window.offsetOf(this.#window.from), reason };
  }

  #read(isEnd: boolean): void {
    const { to } = this.#window;
    let at: number = this.#window.from;
    while (this.#problem === undefined) {
      if (this.#longText === undefined) at = this.#skipBlanks(at);
      if (at === to) break;
      const end = this.#token(at, isEnd);
      if (end === undefined) break;
      at = end;
    }
    this.#window.settle(this.#problem === undefined ? at : to);
  }

  #skipBlanks(from: number): number {
    const { bytes, to } = this.#window;
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number;
      if (byte === LINE_FEED) this.#linesRead += 1;
      else if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return at;
    }
    return to;
  }

  /** Reads the token at `at`. Returns its end; `undefined` if it is incomplete. */
  #token(at: number, isEnd: boolean): number | undefined {
    const { bytes } = this.#window;
    if (this.#longText !== undefined) return this.#longString(at);
    const byte = bytes[at] as number;
    if (byte === QUOTE) return this.#string(at);
    if (byte === COMMA || byte === COLON) return this.#separator(byte, at);
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return this.#enter(byte, at);
    if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) return this.#leave(byte, at);
    return this.#plain(at, isEnd);
  }

  #separator(byte: number, at: number): number {
    if (byte === COLON && this.#expected === "colon") this.#expected = "value";
    else if (byte === COMMA && this.#expected === "next") {
      this.#expected = this.#isArray.at(-1) === true ? "value" : "key";
    } else this.#fail(at);
    return at + 1;
  }

  #enter(byte: number, at: number): number {
    const isArray = byte === OPEN_BRACKET;
    if (!this.#isValueExpected) return this.#fail(at);
    if (this.#isArray.length === DEPTH_MAX) {
      return this.#fail(at, `objects and arrays nested more than ${DEPTH_MAX} deep`);
    }
    if (this.#isWanted) {
      this.#locate(at);
      const key = this.#key;
      this.#key = "";
      if (!this.#handler.enter(key, isArray)) this.#wantedDepth = this.#isArray.length;
    }
    this.#isArray.push(isArray);
    this.#expected = isArray ? "first-value" : "first-key";
    return at + 1;
  }

  #leave(byte: number, at: number): number {
    const isEmpty = this.#expected === (byte === CLOSE_BRACKET ? "first-value" : "first-key");
    const isOpen = this.#isArray.at(-1) === (byte === CLOSE_BRACKET);
    if (!isOpen || (this.#expected !== "next" && !isEmpty)) return this.#fail(at);
    this.#isArray.pop();
    if (this.#isWanted) this.#handler.leave();
    else if (this.#isArray.length === this.#wantedDepth) this.#wantedDepth = Infinity;
    this.#valueEnds();
    return at + 1;
  }

  /** A number or a word: ends where something else begins. */
  #plain(at: number, isEnd: boolean): number | undefined {
    const { bytes, to } = this.#window;
    let end = at;
    while (end < to && isPlain(bytes[end] as number)) end += 1;
    if (end === to && !isEnd && end - at <= PLAIN_BYTES_MAX) return undefined;
    const text = bytes.toString("latin1", at, Math.min(end, at + PLAIN_BYTES_MAX));
    const isWord = WORDS.includes(text);
    const isWhole = end - at <= PLAIN_BYTES_MAX && (isWord || NUMBER.test(text));
    if (!isWhole || !this.#isValueExpected) return this.#fail(at, undefined, text);
    this.#locate(at);
    this.#scalar(isWord ? "word" : "number", text);
    return end;
  }

  #string(at: number): number | undefined {
    const { bytes, to } = this.#window;
    if (this.#expected !== "first-key" && this.#expected !== "key" && !this.#isValueExpected) {
      return this.#fail(at);
    }
    const contents = at + 1;
    if (this.#scanned === 0) this.#stringEnd.begin();
    const end = this.#stringEnd.find(bytes, contents + this.#scanned, to);
    this.#scanned = end - contents;
    const isLong = this.#scanned > JSON_TEXT_BYTES_MAX;
    if (end === to && !isLong) return undefined;
    this.#locate(at);
    if (isLong) {
      this.#longText = bytes.toString("utf8", contents, contents + BEGINNING_BYTES);
      return this.#longString(end);
    }
    if (bytes[end] !== QUOTE) return this.#fail(end, NO_CONTROL);
    this.#stringEnds(this.#textAt(contents, end));
    return end + 1;
  }

  #longString(from: number): number {
    const { bytes, to } = this.#window;
    const text = this.#longText as string;
    const end = this.#stringEnd.find(bytes, from, to);
    if (end === to) return to;
    if (bytes[end] !== QUOTE) return this.#fail(end, NO_CONTROL);
    this.#longText = undefined;
    this.#stringEnds(text);
    return end + 1;
  }

  #stringEnds(text: string): void {
    this.#scanned = 0;
    if (this.#isValueExpected) {
      this.#scalar("string", text);
    } else {
      this.#key = text;
      this.#expected = "colon";
    }
  }

  /** Unwanted strings are not decoded. */
  #textAt(from: number, to: number): string {
    if (!this.#isWanted) return "";
    const raw = this.#window.bytes.toString("utf8", from, to);
    if (!this.#stringEnd.hasEscapes) return raw;
    try {
      return JSON.parse(`"${raw}"`) as string;
    } catch {
      this.#fail(from - 1, "a string with valid escapes");
      return "";
    }
  }

  #scalar(kind: JsonScalarKind, text: string): void {
    if (this.#isWanted && this.#problem === undefined) this.#handler.scalar(this.#key, kind, text);
    this.#valueEnds();
  }

  #valueEnds(): void {
    this.#key = "";
    this.#expected = this.#isArray.length === 0 ? this.#after : "next";
  }

  get #isValueExpected(): boolean {
    const expected = this.#expected;
    return expected === "value" || expected === "first-value" || expected === "document";
  }

  get #isWanted(): boolean {
    return this.#wantedDepth === Infinity;
  }

  #locate(at: number): void {
    this.#line = this.#linesRead + 1;
    this.#byte = this.#window.offsetOf(at);
  }

  /** Nothing after a mistake can be read. The message does not depend on chunk borders. */
  #fail(at: number, wanted = WANTED[this.#expected], got?: string): number {
    const { bytes, to } = this.#window;
    const shown = quoted(got || bytes.toString("latin1", at, at + 1));
    const reason = `this is not valid JSON: got ${shown}, want ${wanted}`;
    this.#problem = { line: this.#linesRead + 1, byte: this.#window.offsetOf(at), reason };
    return to;
  }
}

function isPlain(byte: number): boolean {
  const isLetter = (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x7a;
  const isDigit = byte >= 0x30 && byte <= 0x39;
  return isLetter || isDigit || byte === 0x2b || byte === 0x2d || byte === 0x2e;
}

const FIRST_PRINTABLE = 0x20;

/** Finds the end of JSON strings that may arrive in chunks. */
class JsonStringEnd {
  hasEscapes = false;
  #isEscaping = false;

  /** Must be called before each string. */
  begin(): void {
    this.hasEscapes = false;
    this.#isEscaping = false;
  }

  /** Position of the closing quote or of a control character in `[from, to)`; `to` if there is neither. */
  find(bytes: Uint8Array, from: number, to: number): number {
    let isEscaping = this.#isEscaping;
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number;
      if (byte < FIRST_PRINTABLE) return at;
      if (isEscaping) {
        isEscaping = false;
      } else if (byte === BACKSLASH) {
        isEscaping = true;
        this.hasEscapes = true;
      } else if (byte === QUOTE) {
        this.#isEscaping = false;
        return at;
      }
    }
    this.#isEscaping = isEscaping;
    return to;
  }
}
