import { isUtf8 } from "node:buffer";
import { isOverflowLabel, overflowLabelFor } from "../../model/label.ts";
import type { Role } from "../../model/role.ts";
import { FACETS_BEGIN, FACETS_BYTES_MAX, isForged } from "../../model/series/facets.ts";
import { ByteTable } from "../bytes/byte-table.ts";
import { grown } from "../../model/columns.ts";
import { LABEL_BYTES_MAX, type LabelOptions } from "../decoder.ts";
import { quoted } from "../quoted.ts";
import { LabelGroups } from "./label-groups.ts";
import { createHash } from "node:crypto";

/** Most folded labels that are counted, and their bytes. */
const LABELS_COUNTED = 100_000;
const BYTES_KEPT = 16 * 1024 * 1024;

/** `indexOf` of a label over `LABEL_BYTES_MAX` bytes. */
export const LABEL_TOO_LONG = -1;

/** Why such a record cannot be read; `label` as written, where it is known. */
export function labelTooLong(label?: string): string {
  const got = label === undefined ? "" : `got ${quoted(label)}, `;
  return `the label is too long: ${got}want at most ${LABEL_BYTES_MAX} bytes`;
}

const REPLACEMENT = "\u{fffd}";
const FIRST_SPELLINGS = 64;
const encoder = new TextEncoder();
const nameBytes = new Uint8Array(LABEL_BYTES_MAX + 1 + FACETS_BYTES_MAX);

/**
 * The labels of one source by their bytes, turned into text when first seen; bytes that are not UTF-8 become `\xC2`,
 * and two spellings of a text share an index. Looking up a known label allocates nothing. Labels over `labelsMax`,
 * which does not count overflow labels, all have the index of an overflow label.
 */
export class LabelTable {
  /** Only grows. Entries that `forgetTexts` has dropped are empty. */
  readonly texts: string[] = [];
  /** Labels that were not valid UTF-8. */
  notUtf8 = 0;
  empty: number | undefined;
  readonly #indexByText = new Map<string, number>();
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Index of the label of each spelling. */
  readonly #spellings = new ByteTable();
  #indexes: Uint32Array = new Uint32Array(FIRST_SPELLINGS);
  /** The first spelling of each label plus 1, once there are series or dropped texts. */
  #spellingOf: Uint32Array | undefined;
  /** Number of leading labels whose texts are dropped. */
  #forgotten = 0;
  readonly #groups: LabelGroups | undefined;
  readonly #folded: FoldedLabels | undefined;
  /** Indexes below this are of distinct labels. */
  #distinctMax: number;
  readonly #overflow = new Map<string, number>();
  readonly #undecodable = new Set<number>();
  readonly #isJson: boolean;
  /** Labels that would have been taken for series with facets. */
  escaped = 0;
  /** The last label that was over the limit. */
  overLimitText = "";
  /** Of the last label that was too long. */
  #shortened: Uint8Array = new Uint8Array(0);

  /**
   * `keepsPlaces`: see `LabelGroups`. `isJson`: bytes that are not UTF-8 become U+FFFD instead, as in JSON strings that are
   * parsed. Throws `bad-parameter` for an invalid rule.
   */
  constructor(
    { grouping, labelsMax = Infinity }: LabelOptions = {},
    { keepsPlaces = false, isJson = false } = {},
  ) {
    this.#distinctMax = labelsMax;
    this.#isJson = isJson;
    if (grouping === undefined) return;
    this.#groups = new LabelGroups(grouping, keepsPlaces);
    this.#folded = new FoldedLabels();
  }

  /** Index of the label at `[from, to)`, or `LABEL_TOO_LONG`. */
  indexOf(bytes: Uint8Array, from: number, to: number): number {
    if (this.#groups === undefined) return this.#indexOfSpelling(bytes, from, to);
    // Folded spellings can be unlimited: only their groups are stored.
    const { folded } = this.#groups;
    const isFolded = this.#groups.fold(bytes, from, to);
    const index = this.#indexOfSpelling(folded.bytes, 0, folded.length);
    if (isFolded && index !== LABEL_TOO_LONG) this.#folded?.take(bytes, [from, to], index);
    return index;
  }

  /** Index of the label that was last too long, in its shortened form. */
  indexOfTooLong(): number {
    const index = this.#indexOfSpelling(this.#shortened, 0, this.#shortened.length);
    // Bytes that are not UTF-8 take four as text.
    if (index !== LABEL_TOO_LONG) return index;
    return this.#indexOfSpelling(this.#shortened, 0, this.#shortened.length);
  }

  /** Whether some bytes of a label are not UTF-8. */
  isUndecodable(index: number): boolean {
    return this.notUtf8 > 0 && this.#undecodable.has(index);
  }

  get foldedNote(): string | undefined {
    return this.#folded?.note();
  }

  /** Whether an index stands for labels that are over the limit. */
  isOverLimit(index: number): boolean {
    return index >= this.#distinctMax;
  }

  overflowFor(role: Role): number {
    const text = overflowLabelFor(role);
    const known = this.#overflow.get(text);
    if (known !== undefined) return known;
    this.#overflow.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }

  #indexOfSpelling(bytes: Uint8Array, from: number, to: number): number {
    const spelling = this.#spellings.find(bytes, from, to);
    return spelling === undefined
      ? this.#add(bytes, from, to)
      : (this.#indexes[spelling] as number);
  }

  indexOfText(text: string): number {
    if (this.#groups !== undefined) return this.#indexOfBytes(encoder.encode(text));
    const known = this.#indexByText.get(text);
    if (known !== undefined) return known;
    const index = this.#indexOfBytes(encoder.encode(text));
    const isKept = index !== LABEL_TOO_LONG && !this.isOverLimit(index);
    if (isKept) this.#indexByText.set(text, index);
    return index;
  }

  /** Adds the series of a label, named by what follows that, and returns its index; without room, that of the label. */
  addSeries(label: number, suffix: string): number {
    if (this.isOverLimit(label) || this.#overflow.size > 0) return label;
    this.#findSpellings();
    this.#distinctMax += 1;
    const name = this.#nameOf(label, suffix);
    // A part of the name takes less memory than a text of its own.
    if (label >= this.#forgotten) this.texts[label] = name.slice(0, name.length - suffix.length);
    return this.texts.push(name) - 1;
  }

  /** The index of a known label, given its text. */
  find(text: string): number | undefined {
    const bytes = encoder.encode(text);
    const spelling = this.#spellings.find(bytes, 0, bytes.length);
    return spelling === undefined ? undefined : this.#indexes[spelling];
  }

  /** The text at an index, dropped or not. */
  textOf(label: number): string {
    const text = this.texts[label] ?? "";
    return text === "" && label < this.#forgotten ? this.#nameOf(label, "") : text;
  }

  #findSpellings(): void {
    this.#spellingOf ??= spellingsOf(this.#indexes, this.#spellings.count);
  }

  /** Also of a label whose text was dropped. Decoded at once: joined texts would keep their parts alive. */
  #nameOf(label: number, suffix: string): string {
    const spelling = this.#spellings.textAt((this.#spellingOf?.[label] ?? 0) - 1);
    nameBytes.set(spelling);
    const { written } = encoder.encodeInto(suffix, nameBytes.subarray(spelling.length));
    return this.#decoder.decode(nameBytes.subarray(0, spelling.length + written));
  }

  /** Drops those that `textOf` can read again; indexes stay valid. */
  forgetTexts(): void {
    this.#findSpellings();
    for (let index = this.#forgotten; index < this.texts.length; index++) {
      if ((this.#spellingOf?.[index] ?? 0) > 0) this.texts[index] = "";
    }
    this.#forgotten = this.texts.length;
  }

  #indexOfBytes(bytes: Uint8Array): number {
    return this.indexOf(bytes, 0, bytes.length);
  }

  /** Adds the spelling of the last failed lookup. */
  #add(bytes: Uint8Array, from: number, to: number): number {
    if (to - from > LABEL_BYTES_MAX) {
      this.#shortened = shortenedLabel(bytes.subarray(from, to));
      return LABEL_TOO_LONG;
    }
    const spelling = bytes.subarray(from, to);
    const text = this.#decoder.decode(spelling);
    if (text.includes(REPLACEMENT) && !isUtf8(spelling)) {
      return this.#addReplaced(spelling, encoder.encode(this.#isJson ? text : textOf(spelling)));
    }
    if (isForged(text)) return this.#addEscaped(spelling, text);
    if (this.isOverLimit(this.texts.length)) {
      this.overLimitText = text;
      return this.overflowFor("request");
    }
    const index = this.texts.length;
    this.texts.push(text);
    // Not counted against the limit.
    if (isOverflowLabel(text)) this.#distinctMax += 1;
    if (text === "") this.empty = index;
    this.#enter(this.#spellings.add(bytes, from, to), index);
    return index;
  }

  /** Adds an invalid spelling; `replaced` is that of its text. */
  #addReplaced(spelling: Uint8Array, replaced: Uint8Array): number {
    const index = this.#addAs(spelling, replaced);
    if (index === LABEL_TOO_LONG || this.isOverLimit(index)) return index;
    this.notUtf8 += 1;
    this.#undecodable.add(index);
    return index;
  }

  /** Adds a label that would be taken for a series with facets, which it must not forge. */
  #addEscaped(spelling: Uint8Array, text: string): number {
    const escaped = text.replaceAll(FACETS_BEGIN, String.raw`\x01`);
    const index = this.#addAs(spelling, encoder.encode(escaped));
    if (index !== LABEL_TOO_LONG && !this.isOverLimit(index)) this.escaped += 1;
    return index;
  }

  #addAs(spelling: Uint8Array, replaced: Uint8Array): number {
    const index = this.#indexOfSpelling(replaced, 0, replaced.length);
    if (index === LABEL_TOO_LONG || this.isOverLimit(index)) return index;
    this.#spellings.find(spelling, 0, spelling.length);
    this.#enter(this.#spellings.add(spelling, 0, spelling.length), index);
    return index;
  }

  #enter(spelling: number, index: number): void {
    if (spelling >= this.#indexes.length) this.#indexes = grown(this.#indexes, spelling + 1);
    this.#indexes[spelling] = index;
    if (this.#spellingOf !== undefined)
      this.#spellingOf = withFirst(this.#spellingOf, index, spelling);
  }
}

/** By label the first of its spellings plus 1. */
function spellingsOf(indexes: Uint32Array, spellings: number): Uint32Array {
  let found: Uint32Array = new Uint32Array(FIRST_SPELLINGS);
  for (let each = 0; each < spellings; each++)
    found = withFirst(found, indexes[each] as number, each);
  return found;
}

function withFirst(spellingOf: Uint32Array, label: number, spelling: number): Uint32Array {
  const own = label < spellingOf.length ? spellingOf : grown(spellingOf, label + 1);
  if (own[label] === 0) own[label] = spelling + 1;
  return own;
}

const plain = new TextDecoder("utf-8", { ignoreBOM: true });

/** Text of bytes, of which those that are not UTF-8 are written as `\xC2`, so that labels stay distinct. */
function textOf(bytes: Uint8Array): string {
  if (isUtf8(bytes)) return plain.decode(bytes);
  let text = "";
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find((each) => isUtf8(bytes.subarray(at, at + each)));
    const byte = (bytes[at] as number).toString(16).toUpperCase();
    text += length === undefined ? `\\x${byte}` : plain.decode(bytes.subarray(at, at + length));
    at += length ?? 1;
  }
  return text;
}

export function labelNotes(labels: LabelTable): string[] {
  const { notUtf8, escaped, foldedNote } = labels;
  const unread = `labels that are not UTF-8, with their bytes as \\xC2: ${notUtf8}; --encoding (encoding) says what they are`;
  const marked = `labels with U+0001 before a list, which begins facets, have \\x01 in its place: ${escaped}`;
  return [
    ...(notUtf8 === 0 ? [] : [unread]),
    ...(escaped === 0 ? [] : [marked]),
    ...(foldedNote === undefined ? [] : [foldedNote]),
  ];
}

/** Counts folded labels and their groups in bounded memory. */
export class FoldedLabels {
  readonly #groups = new Set<number>();
  readonly #labels = new ByteTable();
  #counted = 0;
  #isCounting = true;

  take(bytes: Uint8Array, [from, to]: readonly [number, number], group: number): void {
    this.#groups.add(group);
    if (!this.#isCounting || this.#labels.find(bytes, from, to) !== undefined) return;
    if (this.#counted < LABELS_COUNTED && this.#labels.bytes + (to - from) <= BYTES_KEPT) {
      this.#labels.add(bytes, from, to);
      this.#counted += 1;
    } else {
      this.#isCounting = false;
      this.#labels.clear();
    }
  }

  /** `undefined` if nothing was folded. */
  note(): string | undefined {
    if (this.#groups.size === 0) return undefined;
    const labels = this.#isCounting ? `${this.#counted}` : `more than ${this.#counted}`;
    return `labels folded into groups: ${labels} into ${this.#groups.size}`;
  }
}

const HASH_LENGTH = 12;
const CONTINUATION_MASK = 0xc0;
const CONTINUATION = 0x80;

/** `LABEL_BYTES_MAX` bytes at most of a longer label: its beginning, and a hash of all of it that keeps labels apart. */
function shortenedLabel(label: Uint8Array): Uint8Array {
  const hash = createHash("sha256").update(label).digest("hex").slice(0, HASH_LENGTH);
  const end = Buffer.from(`…${hash}`);
  let length = LABEL_BYTES_MAX - end.length;
  while (((label[length] ?? 0) & CONTINUATION_MASK) === CONTINUATION) length -= 1;
  return Buffer.concat([label.subarray(0, length), end]);
}
