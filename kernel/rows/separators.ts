import { LINE_ENDS, SEPARATORS } from "./layout";

const LINE_FEED: u8 = 0x0a;
const QUOTE: u8 = 0x22;

/** Number of separators and of line ends found by the last call. */
export let separators: u32 = 0;
export let lineEnds: u32 = 0;
/** Whether a quote stopped the search. */
export let hasQuote: bool = false;

/**
 * Writes the positions of delimiters and line feeds in `[from, to)`, up to the first quote. Up to 64 bytes after `to` are
 * loaded.
 */
export function findSeparators(from: u32, to: u32, delimiter: u8): void {
  const delimiters = i8x16.splat(delimiter);
  const lineFeeds = i8x16.splat(LINE_FEED);
  const quotes = i8x16.splat(QUOTE);
  let separator = SEPARATORS;
  let lineEnd = LINE_ENDS;
  hasQuote = false;
  for (let at = from; at < to && !hasQuote; at += 64) {
    const a = v128.load(at);
    const b = v128.load(at, 16);
    const c = v128.load(at, 32);
    const d = v128.load(at, 48);
    const aEnds = i8x16.eq(a, lineFeeds);
    const bEnds = i8x16.eq(b, lineFeeds);
    const cEnds = i8x16.eq(c, lineFeeds);
    const dEnds = i8x16.eq(d, lineFeeds);
    let ends = mask(aEnds, bEnds, cEnds, dEnds);
    let all = mask(
      v128.or(aEnds, i8x16.eq(a, delimiters)),
      v128.or(bEnds, i8x16.eq(b, delimiters)),
      v128.or(cEnds, i8x16.eq(c, delimiters)),
      v128.or(dEnds, i8x16.eq(d, delimiters)),
    );
    const aQuotes = i8x16.eq(a, quotes);
    const bQuotes = i8x16.eq(b, quotes);
    const cQuotes = i8x16.eq(c, quotes);
    const dQuotes = i8x16.eq(d, quotes);
    if (v128.any_true(v128.or(v128.or(aQuotes, bQuotes), v128.or(cQuotes, dQuotes)))) {
      const first = ctz(mask(aQuotes, bQuotes, cQuotes, dQuotes));
      hasQuote = at + <u32>first < to;
      all &= below(first);
      ends &= below(first);
    }
    if (at + 64 > to) {
      all &= below(to - at);
      ends &= below(to - at);
    }
    writePlaces(separator, at, all);
    separator += (<u32>popcnt(all)) << 2;
    // Most blocks have one line end, or none.
    store<u32>(lineEnd, at + <u32>ctz(ends));
    lineEnd += (<u32>(ends != 0)) << 2;
    for (ends &= ends - 1; ends != 0; ends &= ends - 1, lineEnd += 4) {
      store<u32>(lineEnd, at + <u32>ctz(ends));
    }
  }
  separators = (separator - SEPARATORS) >> 2;
  lineEnds = (lineEnd - LINE_ENDS) >> 2;
}

/** Returns one bit for each of 64 bytes. */
function mask(a: v128, b: v128, c: v128, d: v128): u64 {
  return (
    <u64>(<u32>i8x16.bitmask(a)) |
    ((<u64>(<u32>i8x16.bitmask(b))) << 16) |
    ((<u64>(<u32>i8x16.bitmask(c))) << 32) |
    ((<u64>(<u32>i8x16.bitmask(d))) << 48)
  );
}

/** Returns a mask of the lowest `bits` bits, fewer than 64. */
function below(bits: u64): u64 {
  return ((<u64>1) << bits) - 1;
}

/** Writes the positions of the bits, eight at a time; entries after the last one are overwritten later. */
function writePlaces(to: u32, at: u32, bits: u64): void {
  let left = bits;
  for (let place = to; left != 0; place += 32) {
    store<u32>(place, at + <u32>ctz(left));
    left &= left - 1;
    store<u32>(place, at + <u32>ctz(left), 4);
    left &= left - 1;
    store<u32>(place, at + <u32>ctz(left), 8);
    left &= left - 1;
    store<u32>(place, at + <u32>ctz(left), 12);
    left &= left - 1;
    store<u32>(place, at + <u32>ctz(left), 16);
    left &= left - 1;
    store<u32>(place, at + <u32>ctz(left), 20);
    left &= left - 1;
    store<u32>(place, at + <u32>ctz(left), 24);
    left &= left - 1;
    store<u32>(place, at + <u32>ctz(left), 28);
    left &= left - 1;
  }
}
