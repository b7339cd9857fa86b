import { ALL_THREADS, BYTES, columnOf, ELAPSED, FIELDS, HOST_NAME } from "./columns";
import { SAMPLE_COUNT, SUCCESS, TIME_STAMP } from "./columns";
import { SEPARATORS, STRETCH_BYTES } from "./layout";

/** Line feeds within quotes in the last row. */
export let innerLines: u32 = 0;

const LINE_FEED: u8 = 0x0a;
const CARRIAGE_RETURN: u8 = 0x0d;
const QUOTE: u8 = 0x22;
/** Longer rows are left to the exact reader. */
const ROW_BYTES_MAX: u32 = 64 * 1024;
/** Number of fields that may be quoted: those with a bit in a mask. */
const QUOTABLE_MAX: u32 = 64;

/**
 * Writes the positions of the separators of the row at `from`, whose fields may be quoted. Returns the position of its line
 * feed; 0 if it is too long, does not end before `to`, has another number of fields, has quotes in a field that must not
 * be quoted, or lines in a field that may be rows.
 */
export function findQuotedRow(from: u32, to: u32, delimiter: u8): u32 {
  const end = min(to, from + ROW_BYTES_MAX);
  const fields = <u32>columnOf(FIELDS);
  if (fields > STRETCH_BYTES) return 0;
  const unquoted = unquotedFields();
  const beginsWithDigit = isDigitAt(from);
  innerLines = 0;
  let at = from;
  for (let field: u32 = 0; field < fields; field++) {
    if (at < end && load<u8>(at) == QUOTE) {
      if (field >= QUOTABLE_MAX || ((unquoted >> field) & 1) != 0) return 0;
      at = quotedEnd(at + 1, end, beginsWithDigit);
      if (at == 0) return 0;
    } else {
      while (at < end && load<u8>(at) != delimiter && load<u8>(at) != LINE_FEED) at++;
    }
    if (at >= end) return 0;
    const isLast = field + 1 == fields;
    const last = load<u8>(at) == CARRIAGE_RETURN && at + 1 < end ? at + 1 : at;
    if (isLast ? load<u8>(last) != LINE_FEED : load<u8>(at) != delimiter) return 0;
    if (isLast) at = last;
    store<u32>(SEPARATORS + (field << 2), at);
    at += 1;
  }
  return at - 1;
}

/**
 * Returns the position after the closing quote of a field; 0 if there is none, or if a line within begins like the row. A
 * doubled quote is part of the field.
 */
function quotedEnd(from: u32, end: u32, beginsWithDigit: bool): u32 {
  for (let at = from; at < end; at++) {
    const byte = load<u8>(at);
    if (byte == LINE_FEED) {
      if (at + 1 < end && isDigitAt(at + 1) == beginsWithDigit) return 0;
      innerLines += 1;
    }
    if (byte != QUOTE) continue;
    if (at + 1 == end) return 0;
    if (load<u8>(at + 1) != QUOTE) return at + 1;
    at += 1;
  }
  return 0;
}

function isDigitAt(at: u32): bool {
  return load<u8>(at) - 0x30 < 10;
}

/** Returns a bit for each field that is read as written and must not be quoted. Labels are learnt with their quotes. */
function unquotedFields(): u64 {
  return (
    bitOf(TIME_STAMP) |
    bitOf(ELAPSED) |
    bitOf(SUCCESS) |
    bitOf(BYTES) |
    bitOf(SAMPLE_COUNT) |
    bitOf(ALL_THREADS) |
    bitOf(HOST_NAME)
  );
}

function bitOf(place: u32): u64 {
  const column = columnOf(place);
  return column < 0 || column >= <i32>QUOTABLE_MAX ? 0 : (<u64>1) << column;
}
