import {
  BLANK,
  CLOSE_BRACE,
  COLON,
  EQUALS,
  HASH,
  HYPHEN,
  QUESTION,
  SEMICOLON,
  SLASH,
  POINT,
} from "../bytes/ascii.ts";
import {
  ByteText,
  DIGIT,
  FOREIGN,
  KINDS,
  LOWER,
  PAIR_END,
  SEGMENT_END,
  SEPARATOR,
  UPPER,
  base64End,
  dateEnd,
  isDigit,
  isEscape,
  isForeignEscape,
  isOpaqueWord,
  isSeparator,
  uuidEnd,
} from "./opaque-word.ts";
import { type UrlGrouping, LABEL_BYTES_MAX } from "../decoder.ts";
import { GroupRules } from "./group-rules.ts";

/** Digits of JMeter's sub-result suffixes. */
const PLACE_DIGITS_MAX = 3;

/** Shorter segments without digits are no ids. */
const IDS_WITHOUT_DIGITS_MIN = 16;

/** Groups URL labels: docs/labels.md. Deterministic. */
export class LabelGroups {
  /** The last folded label, at `[0, length)`. */
  readonly folded = new ByteText();
  readonly #rules: GroupRules;
  readonly #foldsIds: boolean;
  readonly #keepsPlaces: boolean;

  /** `keepsPlaces` preserves JMeter's sub-result suffixes, so that they do not join the group of their request. Throws `bad-parameter`. */
  constructor({ ids, rules }: UrlGrouping, keepsPlaces: boolean) {
    this.#rules = new GroupRules(rules);
    this.#foldsIds = ids;
    this.#keepsPlaces = keepsPlaces;
  }

  /** Folds a label into `folded`. Returns whether it changed. */
  fold(bytes: Uint8Array, from: number, to: number): boolean {
    const { folded } = this;
    folded.clear();
    const labelTo = this.#keepsPlaces ? placesStart(bytes, from, to) : to;
    this.#foldWords(bytes, from, labelTo);
    folded.append(bytes, labelTo, to);
    if (folded.length > LABEL_BYTES_MAX && to - from <= LABEL_BYTES_MAX) {
      // Too long when folded: unchanged.
      folded.clear();
      folded.append(bytes, from, to);
    }
    return !folded.equals(bytes, from, to);
  }

  #foldWords(bytes: Uint8Array, from: number, to: number): void {
    for (let at = from; at < to; at++) {
      const end = this.#foldWord(bytes, at, to);
      if (end < to) this.folded.append(bytes, end, end + 1);
      at = end;
    }
  }

  /** Appends up to a blank or `to`; returns its end. */
  #foldWord(bytes: Uint8Array, from: number, to: number): number {
    const { folded } = this;
    const pathFrom = pathStart(bytes, from, to) ?? wordEnd(bytes, from, to);
    folded.append(bytes, from, pathFrom);
    const group = this.#rules.match(bytes, pathFrom, to);
    if (group === undefined && this.#foldsIds) return foldPath(bytes, pathFrom, to, folded);
    const end = wordEnd(bytes, pathFrom, to);
    if (group === undefined) folded.append(bytes, pathFrom, end);
    else folded.append(group, 0, group.length);
    return end;
  }
}

/** Start of the suffix of a sub-result, such as `-0-1`; `to` without one. */
function placesStart(bytes: Uint8Array, from: number, to: number): number {
  let start = to;
  while (!endsWithId(bytes, from, start)) {
    let at = start;
    while (at > from && isDigit(bytes[at - 1]) && start - at < PLACE_DIGITS_MAX) at -= 1;
    if (at === start || at - 1 <= from || bytes[at - 1] !== HYPHEN) break;
    start = at - 1;
  }
  return start;
}

/** Whether the text ends with a date or UUID, whose hyphens are its own. */
function endsWithId(bytes: Uint8Array, from: number, to: number): boolean {
  return (
    (to - 10 >= from && dateEnd(bytes, to - 10, to) === to) ||
    (to - 36 >= from && uuidEnd(bytes, to - 36, to) === to)
  );
}

/**
 * Start of the path of the URL at `from`: after `://host` or `//host`, or at the leading slash; the end of the
 * host without a path. `undefined` for other text: a single slash is a URL only at the end of a label.
 */
function pathStart(bytes: Uint8Array, from: number, to: number): number | undefined {
  if (bytes[from] === SLASH) {
    const next = from + 1 < to ? bytes[from + 1] : undefined;
    if (next === BLANK) return undefined;
    return next === SLASH ? hostEnd(bytes, from + 2, to) : from;
  }
  for (let at = from; at + 2 < to; at++) {
    const byte = bytes[at] as number;
    if (((KINDS[byte] as number) & SEGMENT_END) !== 0) return undefined;
    if (byte === COLON && bytes[at + 1] === SLASH && bytes[at + 2] === SLASH) {
      return hostEnd(bytes, at + 3, to);
    }
  }
  return undefined;
}

function wordEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  while (at < to && bytes[at] !== BLANK) at += 1;
  return at;
}

/** Appends path, query and fragment with `{id}` for ids and values. Returns their end. */
function foldPath(bytes: Uint8Array, from: number, to: number, out: ByteText): number {
  let at = from;
  while (at < to && bytes[at] !== BLANK) {
    const byte = bytes[at] as number;
    if (byte === QUESTION) at = foldQuery(bytes, at, to, out);
    else if (byte === SEMICOLON) at = foldPair([bytes, at, to], SEGMENT_END, out);
    else at = foldNext(bytes, at, to, out);
  }
  return at;
}

/** Appends a slash or hash and the segment after it; returns its end. */
function foldNext(bytes: Uint8Array, from: number, to: number, out: ByteText): number {
  const isSegment = bytes[from] !== SLASH && bytes[from] !== HASH;
  const start = isSegment ? from : from + 1;
  let kinds = 0;
  let end = start;
  for (; end < to; end++) {
    const kind = KINDS[bytes[end] as number] as number;
    if ((kind & SEGMENT_END) !== 0) break;
    kinds |= kind;
  }
  if ((kinds & DIGIT) === 0 && end - start < IDS_WITHOUT_DIGITS_MIN) {
    out.append(bytes, from, end);
    return end;
  }
  out.append(bytes, from, start);
  // Most ids are a single word.
  const isWord = (kinds & (SEPARATOR | FOREIGN)) === 0;
  if (isWord && (kinds === DIGIT || isOpaqueWord(bytes, start, end))) appendId(out);
  else foldSegment(bytes, start, end, out);
  return end;
}

function hostEnd(bytes: Uint8Array, from: number, to: number): number {
  let at = from;
  for (; at < to; at++) {
    const byte = bytes[at];
    if (byte === SLASH || byte === QUESTION || byte === HASH || byte === BLANK) break;
  }
  return at;
}

/** Appends a query; returns its end. */
function foldQuery(bytes: Uint8Array, from: number, to: number, out: ByteText): number {
  let at = from;
  // Start of the previous pair in `out`, with its separator.
  let before = out.length;
  while (at < to && bytes[at] !== HASH && bytes[at] !== BLANK) {
    const start = out.length;
    at = foldPair([bytes, at, to], PAIR_END, out);
    if (isRepeated(out, before, start)) out.length = start;
    else before = start;
  }
  return at;
}

/** Appends a pair with its separator. Values become ids; names without a value are folded like segments. */
function foldPair(
  [bytes, from, to]: readonly [Uint8Array, number, number],
  ends: number,
  out: ByteText,
): number {
  let equals: number | undefined;
  let end = from + 1;
  for (; end < to; end++) {
    const byte = bytes[end] as number;
    if (((KINDS[byte] as number) & ends) !== 0) break;
    if (byte === EQUALS) equals ??= end;
  }
  if (equals === undefined) {
    out.append(bytes, from, from + 1);
    foldSegment(bytes, from + 1, end, out);
  } else {
    out.append(bytes, from, equals + 1);
    if (equals + 1 < end) appendId(out);
  }
  return end;
}

/** Whether the pair at `start` equals the one before it. */
function isRepeated({ bytes, length }: ByteText, before: number, start: number): boolean {
  const size = length - start;
  if (start - before !== size || bytes[length - 1] !== CLOSE_BRACE) return false;
  for (let at = 1; at < size; at++) if (bytes[before + at] !== bytes[start + at]) return false;
  return true;
}

const ID: Uint8Array = new TextEncoder().encode("{id}");

/** Digits of an id between separators; at the end of a word, more. */
const NUMBER_DIGITS_MIN = 4;
const GLUED_DIGITS_MIN = 5;
/** After `( = ' [` any number is an id. */
const BEFORE_IDS: ReadonlySet<number> = new Set([0x28, 0x3d, 0x27, 0x5b]);
/** Separators within numbers: `- . , : + _`. */
const WITHIN_NUMBERS: ReadonlySet<number> = new Set([0x2d, POINT, 0x2c, COLON, 0x2b, 0x5f]);

/** Hyphens and underscores are base64; a closing brace ends a folded id. */
const WITHIN_BASE64: ReadonlySet<number> = new Set([0x2d, 0x5f, 0x7d]);

/** Appends the path segment `[from, to)` with ids as `{id}`. */
function foldSegment(bytes: Uint8Array, from: number, to: number, out: ByteText): void {
  if (isNumber(bytes, from, to)) appendId(out);
  else foldWords(bytes, from, to, out);
}

function appendId(out: ByteText): void {
  out.append(ID, 0, ID.length);
}

/** Digits with separators of numbers; `1.0` and `2.13.1` are versions. */
function isNumber(bytes: Uint8Array, from: number, to: number): boolean {
  let digits = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at] as number;
    if (isDigit(byte)) digits += 1;
    else if (!WITHIN_NUMBERS.has(byte)) return false;
  }
  return digits > 0 && !isVersion(bytes, from, to);
}

/** A digit, and one or two groups of a point and one or two digits. */
function isVersion(bytes: Uint8Array, from: number, to: number): boolean {
  if (!isDigit(bytes[from])) return false;
  let at = from + 1;
  let parts = 0;
  while (at + 1 < to && bytes[at] === POINT && isDigit(bytes[at + 1])) {
    at += at + 2 < to && isDigit(bytes[at + 2]) ? 3 : 2;
    parts += 1;
  }
  return at === to && (parts === 1 || parts === 2);
}

function foldWords(bytes: Uint8Array, from: number, to: number, out: ByteText): void {
  let at = from;
  // Whether no base64 text continues here.
  let isFresh = true;
  while (at < to) {
    const length = separatorLength(bytes, at, to);
    const mayBegin = length === 0 || at === from;
    const idEnd: number | undefined = mayBegin ? idEndOf(bytes, at, to, isFresh) : undefined;
    if (idEnd !== undefined) {
      appendId(out);
      at = idEnd;
    } else if (length > 0) {
      out.append(bytes, at, at + length);
      at += length;
    } else {
      at = foldWord(bytes, [from, at, to], out);
    }
    isFresh = idEnd === undefined && length > 0 && !WITHIN_BASE64.has(bytes[at - 1] as number);
  }
}

/** End of an id at `at` that may contain separators. */
function idEndOf(bytes: Uint8Array, at: number, to: number, isFresh: boolean): number | undefined {
  const end = uuidEnd(bytes, at, to) ?? dateEnd(bytes, at, to);
  return end ?? (isFresh ? base64End(bytes, at, to) : undefined);
}

/** Length of the separator at `at`, including ASCII escapes; 0 for a word. */
function separatorLength(bytes: Uint8Array, at: number, to: number): number {
  if (!isSeparator(bytes[at] as number)) return 0;
  if (!isEscape(bytes, at, to)) return 1;
  return isForeignEscape(bytes, at) ? 0 : 3;
}

/** Appends the word at `at`; returns its end. */
function foldWord(
  bytes: Uint8Array,
  [from, at, to]: readonly [number, number, number],
  out: ByteText,
): number {
  let end = at;
  let digitsFrom = at;
  let kinds = 0;
  while (end < to) {
    const kind = KINDS[bytes[end] as number] as number;
    if ((kind & SEPARATOR) !== 0) {
      if (separatorLength(bytes, end, to) > 0) break;
      kinds |= FOREIGN;
      end += 3;
      digitsFrom = end;
    } else {
      kinds |= kind;
      end += 1;
      if (kind !== DIGIT) digitsFrom = end;
    }
  }
  const digits = end - digitsFrom;
  if (kinds === DIGIT) {
    if (digits >= NUMBER_DIGITS_MIN || isMarked(bytes, [from, at, to], end)) appendId(out);
    else out.append(bytes, at, end);
  } else if ((kinds & FOREIGN) === 0 && isOpaqueWord(bytes, at, end)) {
    appendId(out);
  } else if (digits >= GLUED_DIGITS_MIN) {
    out.append(bytes, at, digitsFrom);
    appendId(out);
  } else {
    out.append(bytes, at, end);
  }
  return end;
}

/** Whether a number is an id by context: `Products(7)`, `7.json`, `7:cancel`. */
function isMarked(
  bytes: Uint8Array,
  [from, at, to]: readonly [number, number, number],
  end: number,
): boolean {
  if (at > from) return BEFORE_IDS.has(bytes[at - 1] as number);
  if (end + 1 >= to || (bytes[end] !== POINT && bytes[end] !== COLON)) return false;
  return ((KINDS[bytes[end + 1] as number] as number) & (LOWER | UPPER)) !== 0;
}
