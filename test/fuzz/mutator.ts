import { mutateValue } from "./structures/mutate-value.ts";
import type { Structure } from "./structures/structure.ts";
import { wordsOf } from "./words.ts";

/** Limit of the input size: longer inputs find little more and take long. */
const INPUT_BYTES_MAX = 40 * 1024;
const EDITS_MAX = 6;
const REPEATS_MAX = 40;

/** What a target says of its inputs. */
interface Described {
  readonly structure?: Structure | undefined;
  /** Beside those of the corpus. */
  readonly words?: readonly string[] | undefined;
}

type Edit = (input: Uint8Array) => Uint8Array;

/** Derives inputs from others. The same random numbers give the same inputs. */
export class Mutator {
  readonly #random: () => number;
  readonly #words: readonly Uint8Array[];
  readonly #edits: readonly Edit[];
  readonly #structure: Structure | undefined;
  /** Grows while a campaign runs. */
  readonly pool: Uint8Array[];

  /** `structure`: by which most inputs are changed. @default only as bytes */
  constructor(seeds: readonly Uint8Array[], random: () => number, about: Described = {}) {
    this.#random = random;
    this.#structure = about.structure;
    this.#words = [...wordsOf(seeds), ...(about.words ?? []).map((word) => Buffer.from(word))];
    this.pool = [...seeds];
    this.#edits = [
      (input) => this.#flipBit(input),
      (input) => this.#setByte(input),
      (input) => this.#cutOut(input),
      (input) => this.#repeat(input),
      (input) => this.#move(input),
      (input) => this.#truncate(input),
      (input) => this.#putWord(input),
      (input) => this.#putWord(input),
      (input) => this.#replaceNumber(input),
      (input) => this.#replaceNumber(input),
      (input) => this.#putPiece(input),
      (input) => this.#splice(input),
    ];
  }

  /** An input of the pool with some edits. */
  next(): Uint8Array {
    let input = this.#oneOf(this.pool);
    if (this.#structure !== undefined && this.#below(4) > 0) {
      const before = input;
      input = this.#changeMembers(input);
      // Some get changes of both kinds.
      if (input !== before && this.#below(4) > 0) return input;
    }
    for (let edits = 1 + this.#below(EDITS_MAX); edits > 0; edits--) {
      input = this.#oneOf(this.#edits)(input);
      if (input.length > INPUT_BYTES_MAX) input = input.subarray(0, INPUT_BYTES_MAX);
    }
    return input;
  }

  /** Some members of the input become others. What gets too long stays as it was. */
  #changeMembers(input: Uint8Array): Uint8Array {
    const value = this.#structure?.decode(input);
    if (this.#structure === undefined || value === undefined) return input;
    const below = (limit: number): number => this.#below(limit);
    for (let edits = 1 + this.#below(EDITS_MAX); edits > 0; edits--) {
      mutateValue(value, below, this.#words);
    }
    const encoded = this.#structure.encode(value);
    return encoded.length > INPUT_BYTES_MAX ? input : Uint8Array.from(encoded);
  }

  #flipBit(input: Uint8Array): Uint8Array {
    const flipped = Uint8Array.from(input);
    const at = this.#below(input.length);
    if (at < input.length) flipped[at] = (input[at] as number) ^ (1 << this.#below(8));
    return flipped;
  }

  #setByte(input: Uint8Array): Uint8Array {
    const changed = Uint8Array.from(input);
    if (input.length > 0) changed[this.#below(input.length)] = this.#below(256);
    return changed;
  }

  #cutOut(input: Uint8Array): Uint8Array {
    const [from, to] = this.#block(input);
    return joined(input.subarray(0, from), input.subarray(to));
  }

  #repeat(input: Uint8Array): Uint8Array {
    const [from, to] = this.#block(input);
    const times = 1 + this.#below(REPEATS_MAX);
    const copies = Array.from({ length: times }, () => input.subarray(from, to));
    return joined(input.subarray(0, to), ...copies, input.subarray(to));
  }

  #move(input: Uint8Array): Uint8Array {
    const [from, to] = this.#block(input);
    const block = input.subarray(from, to);
    const rest = joined(input.subarray(0, from), input.subarray(to));
    const at = this.#below(rest.length + 1);
    return joined(rest.subarray(0, at), block, rest.subarray(at));
  }

  #truncate(input: Uint8Array): Uint8Array {
    return input.subarray(0, this.#below(input.length + 1));
  }

  /** Inserts a word, or overwrites bytes with it. */
  #putWord(input: Uint8Array): Uint8Array {
    const word = this.#oneOf(this.#words);
    const at = this.#below(input.length + 1);
    const over = this.#below(2) === 0 ? 0 : word.length;
    return joined(input.subarray(0, at), word, input.subarray(at + over));
  }

  /** Replaces a number by a word, because readers are strict about numbers. */
  #replaceNumber(input: Uint8Array): Uint8Array {
    const start = this.#below(input.length);
    const from = input.findIndex((byte, at) => at >= start && isDigit(byte));
    if (from < 0) return this.#putWord(input);
    const behind = input.findIndex((byte, at) => at > from && !isDigit(byte));
    const word = this.#oneOf(this.#words);
    return joined(input.subarray(0, from), word, behind < 0 ? nothing : input.subarray(behind));
  }

  #putPiece(input: Uint8Array): Uint8Array {
    const other = this.#oneOf(this.pool);
    const [from, to] = this.#block(other);
    const at = this.#below(input.length + 1);
    return joined(input.subarray(0, at), other.subarray(from, to), input.subarray(at));
  }

  /** The beginning of one input and the end of another. */
  #splice(input: Uint8Array): Uint8Array {
    const other = this.#oneOf(this.pool);
    const end = other.subarray(this.#below(other.length + 1));
    return joined(input.subarray(0, this.#below(input.length + 1)), end);
  }

  /** A range of an input: mostly short, sometimes complete lines, sometimes arbitrary. */
  #block(input: Uint8Array): readonly [from: number, to: number] {
    const from = this.#below(input.length + 1);
    const kind = this.#below(3);
    if (kind === 0) return [from, Math.min(input.length, from + 1 + this.#below(8))];
    if (kind === 1) return [from, from + this.#below(input.length - from + 1)];
    const lineFrom = input.lastIndexOf(LINE_FEED, from) + 1;
    const lineEnd = input.indexOf(LINE_FEED, lineFrom);
    return [lineFrom, lineEnd < 0 ? input.length : lineEnd + 1];
  }

  #oneOf<Choice>(choices: readonly Choice[]): Choice {
    return choices[this.#below(choices.length)] as Choice;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}

const LINE_FEED = 0x0a;
const nothing = new Uint8Array(0);

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39;
}

function joined(...pieces: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(pieces));
}
