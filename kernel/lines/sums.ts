import { addWhole, isEmpty, isMinute, openMinute, secondAt, WHOLE_BYTES, widen } from "../whole";
import { CLOSED_BYTES, writeClosed } from "../whole";
import {
  CELL_BYTES,
  CLOSED,
  CLOSED_MAX,
  ENDPOINTS,
  PLACES,
  SUM_METRICS,
  TAGS_MAX,
  WHOLES,
} from "./layout";

/** Number of sums closed by the last `read`, and of values of refused series. */
export let closed: u32 = 0;
export let refused: f64 = 0;
/** Minute that must be closed first: 2 * number of the load test's sums + 1, plus 1 if the minute is odd; 0: none. */
export let blocked: u32 = 0;

/** Results of `sumUp`: not summed up, summed up or refused, and not summed up until the `blocked` minute is closed. */
export const UNKNOWN: u32 = 0;
export const SUMMED: u32 = 1;
export const BLOCKED: u32 = 2;

/** Bits of an entry of `PLACES`: number of the load test's sums plus 1, is a rate, number of the endpoint plus 1. */
const WHOLE_MASK: u32 = 0xff;
const RATE: u32 = 0x100;
const ENDPOINT_SHIFT: u32 = 9;
const REFUSED: u32 = 0xff;

/** Offsets in a cell: UNIX second, count, sum in billionths, minimum, maximum. */
const MINUTE: u32 = 0;
const COUNT: u32 = 8;
const NANOS: u32 = 16;
const MIN: u32 = 24;
const MAX: u32 = 32;
/** Place of a second of the load test: the number of its sums plus this. */
const WHOLE_PLACE: u32 = 0x10000;

/** Same as in endpoint-measures.ts. */
const SMALL_MAX: f64 = 1e6;
const NANOS_MAX: f64 = 2251799813685248;
const SECOND_MAX: i64 = 4294967295;

export function clearClosed(): void {
  closed = 0;
  refused = 0;
  blocked = 0;
}

/** Closes the open minutes of the first `endpoints`. Returns false if there is no room for all. */
export function closeAll(endpoints: u32): bool {
  clearClosed();
  for (let place: u32 = 0; place < 2 * endpoints; place++) {
    if (closed == CLOSED_MAX) return false;
    const cell = ENDPOINTS + place * CELL_BYTES;
    if (load<f64>(cell, COUNT) != 0) closeMinute(place, cell);
    store<f64>(cell, 0, COUNT);
  }
  return true;
}

/** Reports whether there is room for the two sums that a value may close. */
export function hasRoomToClose(): bool {
  return closed + 2 <= CLOSED_MAX;
}

/** Sets the sums of values of a metric with these tags. Metrics from `SUM_METRICS` are ignored. */
export function learnPlaces(metric: u32, tags: u32, places: u32): void {
  if (metric < SUM_METRICS) store<u32>(placesOf(metric, tags), places);
}

export function forgetPlaces(tags: u32): void {
  for (let metric: u32 = 0; metric < SUM_METRICS; metric++) {
    memory.fill(placesOf(metric, 0), 0, tags << 2);
  }
}

/** Sums up a value at UNIX second `at`, if its sums are known and it is at least 0 and below `SMALL_MAX`. */
export function sumUp(metric: u32, tags: u32, at: i64, value: f64): u32 {
  if (metric >= SUM_METRICS || at < 0 || at > SECOND_MAX) return UNKNOWN;
  const places = load<u32>(placesOf(metric, tags));
  if (places == 0 || !(value >= 0 && value < SMALL_MAX)) return UNKNOWN;
  if (places == REFUSED) {
    refused += 1;
    return SUMMED;
  }
  const second = <u32>at;
  const open = second % 120;
  const odd = <u32>(open >= 60);
  const minute = second - open + odd * 60;
  const number = (places & WHOLE_MASK) - 1;
  const whole = WHOLES + number * WHOLE_BYTES;
  if (!isMinute(whole, odd, minute)) {
    if (!isEmpty(whole, odd)) {
      blocked = 2 * number + odd + 1;
      return BLOCKED;
    }
    openMinute(whole, odd, minute);
  }
  const isTrue: f64 = value == 0 ? 0 : 1;
  // Turns -0 into 0.
  const added = (places & RATE) == 0 ? value + 0 : isTrue;
  const nanos = nanosOf(added);
  const endpoint = places >> ENDPOINT_SHIFT;
  if (endpoint != 0) addToMinute(2 * endpoint - 2 + odd, minute, nanos, added);
  const sum = secondAt(whole, open);
  if (load<f64>(sum, 8) + nanos > NANOS_MAX) {
    close(WHOLE_PLACE + number, second, sum, added, added);
    store<f64>(sum, 0);
    store<f64>(sum, 0, 8);
  }
  addWhole(whole, open, 1, added, nanos);
  return SUMMED;
}

function addToMinute(place: u32, minute: u32, nanos: f64, value: f64): void {
  const cell = ENDPOINTS + place * CELL_BYTES;
  const count = load<f64>(cell, COUNT);
  const sum = load<f64>(cell, NANOS);
  const isOther = load<f64>(cell, MINUTE) != <f64>minute || sum + nanos > NANOS_MAX;
  if (count != 0 && !isOther) {
    store<f64>(cell, count + 1, COUNT);
    store<f64>(cell, sum + nanos, NANOS);
    widen(cell + MIN, cell + MAX, value);
    return;
  }
  if (count != 0) closeMinute(place, cell);
  store<f64>(cell, <f64>minute);
  store<f64>(cell, 1, COUNT);
  store<f64>(cell, nanos, NANOS);
  store<f64>(cell, value, MIN);
  store<f64>(cell, value, MAX);
}

function closeMinute(place: u32, cell: u32): void {
  const minute = <u32>load<f64>(cell);
  close(place, minute, cell + COUNT, load<f64>(cell, MIN), load<f64>(cell, MAX));
}

function close(place: u32, time: u32, pair: u32, least: f64, most: f64): void {
  writeClosed(CLOSED + closed * CLOSED_BYTES, place, time, pair, least, most);
  closed += 1;
}

/** Same as `nanosOf` of decimal-sum.ts. */
function nanosOf(value: f64): f64 {
  const integer = trunc<f64>(value);
  const rest = (value - integer) * 1e9;
  const below = floor<f64>(rest);
  return integer * 1e9 + (rest - below >= 0.5 ? below + 1 : below);
}

function placesOf(metric: u32, tags: u32): u32 {
  return PLACES + ((metric * TAGS_MAX + tags) << 2);
}
