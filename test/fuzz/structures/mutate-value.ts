import { RawNumber } from "./structure.ts";

/** Returns a whole number from 0 to below the limit. */
type Below = (limit: number) => number;

/** A member of a list or an object. */
interface Place {
  readonly holder: unknown[] | Record<string, unknown>;
  readonly key: number | string;
}

const NUMBERS = [
  ..."0|-0|1|-1|2|0.1|127|128|255|256|65535|65536|2147483647|2147483648|4294967295|4294967296".split(
    "|",
  ),
  ..."9007199254740991|9007199254740992|9223372036854775807|-9223372036854775808|18446744073709551615".split(
    "|",
  ),
  ..."1e15|1e-9|1.7976931348623157e308|5e-324|-1e999|1e999|1795232610|1795232610052|1795232610052000000".split(
    "|",
  ),
];
const DOUBLES = [
  NaN,
  Infinity,
  -Infinity,
  0,
  -0,
  1,
  -1,
  1e308,
  5e-324,
  2 ** 53,
  2 ** 63,
  1e-9,
  0.5,
];
const COPIES_MAX = 40;
const PLACES_MAX = 5000;

/** Changes one member of a value in place: removes, repeats, moves, swaps or replaces it. */
export function mutateValue(root: unknown, below: Below, words: readonly Uint8Array[]): void {
  const places = placesIn(root);
  const place = places[below(places.length)];
  if (place === undefined) return;
  const other = places[below(places.length)] ?? place;
  const kind = below(8);
  if (kind === 0) remove(place);
  else if (kind === 1) repeat(place, copies(below));
  else if (kind === 2) write(place, copyOf(read(other)));
  else if (kind === 3) rename(place, below, words);
  else write(place, changed(read(place), below, words));
}

/** Mostly few: many take long and reach little more. */
function copies(below: Below): number {
  return below(4) === 0 ? COPIES_MAX : 1 + below(3);
}

/** All members, outer ones first. */
function placesIn(root: unknown): readonly Place[] {
  const places: Place[] = [];
  const waiting = [root];
  for (let holder = waiting.shift(); holder !== undefined; holder = waiting.shift()) {
    if (!isHolder(holder)) continue;
    for (const key of Array.isArray(holder) ? holder.keys() : Object.keys(holder)) {
      if (places.length >= PLACES_MAX) return places;
      places.push({ holder, key });
      waiting.push(read({ holder, key }));
    }
  }
  return places;
}

function isHolder(value: unknown): value is Place["holder"] {
  const isPlain = typeof value === "object" && value !== null && !(value instanceof RawNumber);
  return isPlain && !ArrayBuffer.isView(value);
}

function read({ holder, key }: Place): unknown {
  return (holder as Record<string, unknown>)[key];
}

function write({ holder, key }: Place, value: unknown): void {
  Object.defineProperty(holder, key, {
    value,
    writable: true,
    enumerable: true,
    configurable: true,
  });
}

function remove({ holder, key }: Place): void {
  if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else delete holder[key];
}

function repeat(place: Place, times: number): void {
  const { holder, key } = place;
  const repeated = Array.from({ length: times }, () => copyOf(read(place)));
  if (Array.isArray(holder)) holder.splice(Number(key), 0, ...repeated);
  else write(place, repeated);
}

/** Members of objects get another name; those of lists go elsewhere. */
function rename(place: Place, below: Below, words: readonly Uint8Array[]): void {
  const { holder, key } = place;
  const value = read(place);
  remove(place);
  if (Array.isArray(holder)) holder.splice(below(holder.length + 1), 0, value);
  else write({ holder, key: below(2) === 0 ? wordIn(below, words) : `${key}0` }, value);
}

function copyOf(value: unknown): unknown {
  if (value instanceof RawNumber || typeof value !== "object" || value === null) return value;
  if (value instanceof Uint8Array) return Uint8Array.from(value);
  if (Array.isArray(value)) return value.map(copyOf);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyOf(each)]));
}

/** Mostly of the same kind. */
function changed(value: unknown, below: Below, words: readonly Uint8Array[]): unknown {
  if (below(8) === 0) return anyValue(below, words);
  if (typeof value === "string") return changedText(value, below, words);
  if (typeof value === "bigint") return changedWhole(value, below);
  if (value instanceof Uint8Array) return changedBytes(value, below, words);
  if (typeof value === "number" || value instanceof RawNumber) return numberIn(below);
  return isHolder(value) && below(2) === 0 ? [] : anyValue(below, words);
}

function anyValue(below: Below, words: readonly Uint8Array[]): unknown {
  const values = [null, true, false, "", [], {}, [[]], numberIn(below), wordIn(below, words)];
  return values[below(values.length)];
}

function numberIn(below: Below): RawNumber {
  return new RawNumber(NUMBERS[below(NUMBERS.length)] as string);
}

function wordIn(below: Below, words: readonly Uint8Array[]): string {
  return Buffer.from(words[below(words.length)] as Uint8Array).toString();
}

/** A word instead, before, behind or within; or a part, or many copies. */
function changedText(text: string, below: Below, words: readonly Uint8Array[]): string {
  const [word, at] = [wordIn(below, words), below(text.length + 1)];
  const texts = [
    word,
    `${word}${text}`,
    text.slice(0, at) + word + text.slice(at),
    text.slice(at),
    text.slice(0, at),
    text.repeat(copies(below)),
    String.fromCharCode(below(2 ** 16)) + text,
  ];
  return texts[below(texts.length)] as string;
}

function changedWhole(value: bigint, below: Below): bigint {
  if (below(3) === 0) return BigInt.asUintN(64, value ^ (1n << BigInt(below(64))));
  const wholes = NUMBERS.filter((text) => /^-?\d+$/.test(text));
  return BigInt.asUintN(64, BigInt(wholes[below(wholes.length)] as string));
}

function changedBytes(value: Uint8Array, below: Below, words: readonly Uint8Array[]): Uint8Array {
  if (value.length === 8 && below(4) > 0) {
    const double = Buffer.alloc(8);
    double.writeDoubleLE(DOUBLES[below(DOUBLES.length)] as number);
    return Uint8Array.from(double);
  }
  if (below(2) === 0 || value.length === 0) return words[below(words.length)] as Uint8Array;
  const flipped = Uint8Array.from(value);
  const at = below(value.length);
  flipped[at] = (value[at] as number) ^ (1 << below(8));
  return below(3) === 0 ? flipped.subarray(0, at) : flipped;
}
