import {
  BACKSLASH,
  BLANK,
  CLOSE_BRACE,
  CLOSE_BRACKET,
  COLON,
  COMMA,
  OPEN_BRACE,
  OPEN_BRACKET,
  QUOTE,
} from "../bytes/ascii.ts";
import { RECORD_BYTES_MAX } from "../decoder.ts";
import { jsonOf, listOf } from "./json-values.ts";
import { ELEMENTS_MAX } from "./metric-points.ts";

/** Text that is not OTLP/JSON. */
export class JsonTextError extends Error {}

/** Bounds of a value in the text. */
interface Place {
  readonly from: number;
  readonly to: number;
}

/** A value: small ones are objects, others only found. */
export type JsonPart = Place | { readonly parsed: unknown };

/** Bytes of values that are parsed whole: it is faster than looking for their parts. */
const PARSED_MIN = 64;
const PARSED_MAX = 64 * 1024;

const utf8 = new TextDecoder();
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/**
 * A JSON text whose parts are found in place, so that only one small value at a time becomes objects. Members that nobody
 * asks for are checked for their ends only. Throws `JsonTextError`.
 */
export class JsonText {
  readonly #bytes: Uint8Array;
  #elements = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** The member of the whole text that has this name. */
  root(name: string): JsonPart | undefined {
    const hasMark = BYTE_ORDER_MARK.every((byte, at) => this.#bytes[at] === byte);
    const from = this.#skipBlanks(hasMark ? BYTE_ORDER_MARK.length : 0);
    const whole = { from, to: this.#bytes.length };
    if (isParsed(whole)) return this.members(whole, [name])[0];
    const found: (Place | undefined)[] = [];
    const to = this.#opens(whole, OPEN_BRACE)
      ? this.#findMembers(from, [name], found)
      : this.#bytes.length;
    const end = this.#skipBlanks(to);
    if (end < this.#bytes.length) throw this.#unexpected(end, "the end");
    return found[0];
  }

  /** The members of an object that have these names, which need no escapes, the last of each; of another value none. */
  members(part: JsonPart | undefined, names: readonly string[]): readonly (JsonPart | undefined)[] {
    const found: (Place | undefined)[] = names.map(() => undefined);
    if (part === undefined) return found;
    if ("parsed" in part || isParsed(part)) {
      const members = jsonOf(this.value(part));
      return names
        .map((name) => members[name])
        .map((parsed) => (parsed === undefined ? undefined : { parsed }));
    }
    if (this.#opens(part, OPEN_BRACE)) this.#findMembers(part.from, names, found);
    return found;
  }

  #findMembers(from: number, names: readonly string[], found: (Place | undefined)[]): number {
    let at = this.#skipBlanks(from + 1);
    if (this.#bytes[at] === CLOSE_BRACE) return at + 1;
    for (;;) {
      if (this.#bytes[at] !== QUOTE) throw this.#unexpected(at, "a name");
      const key = { from: at, to: this.#endOfString(at) };
      at = this.#skipBlanks(key.to);
      if (this.#bytes[at] !== COLON) throw this.#unexpected(at, "a colon");
      const value = this.#valueAt(this.#skipBlanks(at + 1));
      const index = names.findIndex((name) => this.#isText(key, name));
      if (index >= 0) found[index] = value;
      at = this.#skipBlanks(value.to);
      if (this.#bytes[at] === CLOSE_BRACE) return at + 1;
      if (this.#bytes[at] !== COMMA) throw this.#unexpected(at, "a comma or }");
      at = this.#skipBlanks(at + 1);
    }
  }

  /** The elements of a list; of another value none. Throws beyond `ELEMENTS_MAX` of all lists. */
  *elements(part: JsonPart | undefined): Generator<JsonPart> {
    if (part === undefined) return;
    if ("parsed" in part || isParsed(part)) {
      for (const parsed of listOf(this.value(part))) {
        this.#countElement();
        yield { parsed };
      }
    } else if (this.#opens(part, OPEN_BRACKET)) yield* this.#elementsFrom(part.from);
  }

  /** `undefined` without a part. Throws for values of over `RECORD_BYTES_MAX`. */
  value(part: JsonPart | undefined): unknown {
    if (part === undefined) return undefined;
    if ("parsed" in part) return part.parsed;
    const { from, to } = part;
    if (isTooLong(part)) {
      throw new JsonTextError(`a value has ${to - from} bytes, want at most ${RECORD_BYTES_MAX}`);
    }
    const text = utf8.decode(this.#bytes.subarray(from, to));
    try {
      return JSON.parse(text);
    } catch {
      throw this.#unexpected(from, "JSON");
    }
  }

  #countElement(): void {
    this.#elements += 1;
    if (this.#elements > ELEMENTS_MAX) {
      throw new JsonTextError(`it has more than ${ELEMENTS_MAX} values: send smaller bodies`);
    }
  }

  *#elementsFrom(from: number): Generator<Place> {
    let at = this.#skipBlanks(from + 1);
    if (this.#bytes[at] === CLOSE_BRACKET) return;
    for (;;) {
      this.#countElement();
      const value = this.#valueAt(at);
      yield value;
      at = this.#skipBlanks(value.to);
      if (this.#bytes[at] === CLOSE_BRACKET) return;
      if (this.#bytes[at] !== COMMA) throw this.#unexpected(at, "a comma or ]");
      at = this.#skipBlanks(at + 1);
    }
  }

  /** Another value must be JSON, too. */
  #opens(place: Place, byte: number): boolean {
    if (this.#bytes[place.from] === byte) return true;
    this.value(place);
    return false;
  }

  #isText({ from, to }: Place, name: string): boolean {
    if (to - from !== name.length + 2) return false;
    for (let index = 0; index < name.length; index++) {
      if (this.#bytes[from + 1 + index] !== name.charCodeAt(index)) return false;
    }
    return true;
  }

  #valueAt(from: number): Place {
    const byte = this.#bytes[from];
    if (byte === QUOTE) return { from, to: this.#endOfString(from) };
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return { from, to: this.#endOfList(from) };
    let to = from;
    while (to < this.#bytes.length && !isEndOfWord(this.#bytes[to] as number)) to += 1;
    if (to === from) throw this.#unexpected(from, "a value");
    return { from, to };
  }

  #endOfString(from: number): number {
    const bytes = this.#bytes;
    for (let at = from + 1; at < bytes.length; at++) {
      if (bytes[at] === BACKSLASH) at += 1;
      else if (bytes[at] === QUOTE) return at + 1;
    }
    throw new JsonTextError("it ends inside a text");
  }

  /** Of an object or a list. */
  #endOfList(from: number): number {
    const bytes = this.#bytes;
    let depth = 0;
    for (let at = from; at < bytes.length; at++) {
      const byte = bytes[at];
      if (byte === QUOTE) at = this.#endOfString(at) - 1;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth -= 1;
        if (depth === 0) return at + 1;
      }
    }
    throw new JsonTextError("it ends inside a list or an object");
  }

  #skipBlanks(from: number): number {
    let at = from;
    while (at < this.#bytes.length && (this.#bytes[at] as number) <= BLANK) at += 1;
    return at;
  }

  #unexpected(at: number, wanted: string): JsonTextError {
    const byte = this.#bytes[at];
    const got = byte === undefined ? "the end" : JSON.stringify(String.fromCharCode(byte));
    return new JsonTextError(`got ${got} at byte ${at}, want ${wanted}`);
  }
}

export function isTooLong(part: JsonPart): boolean {
  return !("parsed" in part) && part.to - part.from > RECORD_BYTES_MAX;
}

function isParsed({ from, to }: Place): boolean {
  return to - from >= PARSED_MIN && to - from <= PARSED_MAX;
}

function isEndOfWord(byte: number): boolean {
  return (
    byte === COMMA ||
    byte === CLOSE_BRACE ||
    byte === CLOSE_BRACKET ||
    byte === COLON ||
    byte <= BLANK
  );
}
