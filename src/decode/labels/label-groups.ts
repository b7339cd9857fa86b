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
} from "../bytes/ascii.ts";
import {
  ByteText,
  isDigit,
  DIGIT,
  FOREIGN,
  KINDS,
  PAIR_END,
  SEGMENT_END,
  SEPARATOR,
} from "./url-bytes.ts";
import { type UrlGrouping, LABEL_BYTES_MAX } from "../decoder.ts";
import { GroupRules } from "./group-rules.ts";
import { dateEnd, uuidEnd, isOpaqueWord } from "./opaque-word.ts";
import { appendId, foldSegment } from "./fold-segment.ts";

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
