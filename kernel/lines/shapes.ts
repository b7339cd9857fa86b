import { isEqual } from "../bytes";
import { SHAPE_BYTES, SHAPES, SHAPES_MAX } from "./layout";

/** Texts of tags that may have any other name and URL: a source can have a new URL in each request. */

/** Offsets in a shape: number of its tags, position and length of their text, bounds of name and URL within it. */
const TAGS: u32 = 0;
const TEXT: u32 = 4;
const LENGTH: u32 = 8;
const NAME_FROM: u32 = 12;
const NAME_TO: u32 = 16;
const URL_FROM: u32 = 20;
const URL_TO: u32 = 24;

export const NO_SHAPE: u32 = 0xffffffff;

const LINE_FEED: u8 = 0x0a;
const CARRIAGE_RETURN: u8 = 0x0d;
const QUOTE: u8 = 0x22;
const COMMA: u8 = 0x2c;

/** Bounds of the name found last. */
export let nameFrom: u32 = 0;
export let nameTo: u32 = 0;

let shapes: u32 = 0;

/** Adds a shape of tags with this text. Returns it, or 0 if there is no room. */
export function addShape(tags: u32, text: u32, length: u32): u32 {
  if (shapes == SHAPES_MAX) return 0;
  const shape = SHAPES + shapes * SHAPE_BYTES;
  store<u32>(shape, tags, TAGS);
  store<u32>(shape, text, TEXT);
  store<u32>(shape, length, LENGTH);
  shapes += 1;
  return shape;
}

/** Sets the bounds of name and URL within the text. The URL must follow the name. */
export function setBounds(shape: u32, name: u32, endOfName: u32, url: u32, endOfUrl: u32): void {
  store<u32>(shape, name, NAME_FROM);
  store<u32>(shape, endOfName, NAME_TO);
  store<u32>(shape, url, URL_FROM);
  store<u32>(shape, endOfUrl, URL_TO);
}

export function forgetShapes(): void {
  shapes = 0;
}

/** Returns the number of the tags whose shape the text from `from` to the line feed at `end` has, or `NO_SHAPE`. */
export function shapeOf(from: u32, end: u32): u32 {
  const last = SHAPES + shapes * SHAPE_BYTES;
  for (let shape = SHAPES; shape < last; shape += SHAPE_BYTES) {
    if (hasShape(shape, from, end)) return load<u32>(shape, TAGS);
  }
  return NO_SHAPE;
}

function hasShape(shape: u32, from: u32, end: u32): bool {
  const text = load<u32>(shape, TEXT);
  const before = load<u32>(shape, NAME_FROM);
  nameFrom = from + before;
  if (nameFrom >= end || !isEqual(text, from, before)) return false;
  nameTo = plainEnd(nameFrom);
  const between = load<u32>(shape, URL_FROM) - load<u32>(shape, NAME_TO);
  const url = nameTo + between;
  if (nameTo == nameFrom || url > end) return false;
  if (!isEqual(text + load<u32>(shape, NAME_TO), nameTo, between)) return false;
  const urlTo = plainEnd(url);
  const after = load<u32>(shape, LENGTH) - load<u32>(shape, URL_TO);
  return urlTo + after == end && isEqual(text + load<u32>(shape, URL_TO), urlTo, after);
}

/** Returns where a field that begins at `from` in front of a line feed ends, or is not plain. */
function plainEnd(from: u32): u32 {
  let at = from;
  let found = endsAt(at);
  while (found == 0) {
    at += 16;
    found = endsAt(at);
  }
  return at + <u32>ctz(found);
}

function endsAt(at: u32): i32 {
  const bytes = v128.load(at);
  const lineEnds = v128.or(is(bytes, LINE_FEED), is(bytes, CARRIAGE_RETURN));
  return i8x16.bitmask(v128.or(lineEnds, v128.or(is(bytes, QUOTE), is(bytes, COMMA))));
}

function is(bytes: v128, byte: u8): v128 {
  return i8x16.eq(bytes, i8x16.splat(byte));
}
