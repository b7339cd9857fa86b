import { addWhole, isEmpty, isMinute, openMinute, secondAt, WHOLE_BYTES, widen } from "../whole";
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

/** Sums that were closed in the last reading, and values of refused series. */
export let closed: u32 = 0;
export let refused: f64 = 0;
/** What stopped the last reading: a minute of the load test to be closed. Twice its number, plus 1 in an odd minute, plus 1; or 0. */
export let blocked: u32 = 0;

/** Outcomes of `sumUp`. */
export const UNKNOWN: u32 = 0;
export const SUMMED: u32 = 1;
export const BLOCKED: u32 = 2;

/** The number of sums of the load test plus 1 in the lowest bits, then whether it is a rate, then that of the endpoint plus 1. */
const WHOLE_MASK: u32 = 0xff;
const RATE: u32 = 0x100;
const ENDPOINT_SHIFT: u32 = 9;
const REFUSED: u32 = 0xff;

/** A cell is time, count, sum in billionths, minimum and maximum; of closed ones, the place is in front. */
const MINUTE: u32 = 0;
const COUNT: u32 = 8;
const NANOS: u32 = 16;
const MIN: u32 = 24;
const MAX: u32 = 32;
/** The place of a second of the load test: its number plus this. */
const WHOLE_PLACE: u32 = 0x10000;

/** As in endpoint-minutes.ts. */
const SMALL_MAX: f64 = 1e6;
const NANOS_MAX: f64 = 2251799813685248;
const SECOND_MAX: i64 = 4294967295;

export function clearClosed(): void {
  closed = 0;
  refused = 0;
  blocked = 0;
}

/** Whether a value has room: it may close two sums. */
export function hasRoomToClose(): bool {
  return closed + 2 <= CLOSED_MAX;
}

/** Says where values of a metric with such tags are summed up. */
export function learnPlaces(metric: u32, tags: u32, places: u32): void {
  if (metric < SUM_METRICS) store<u32>(placesOf(metric, tags), places);
}

export function forgetPlaces(tags: u32): void {
  for (let metric: u32 = 0; metric < SUM_METRICS; metric++) {
    memory.fill(placesOf(metric, 0), 0, tags << 2);
  }
}

/** Sums up a value of a UNIX second, if its place is known and it is small. */
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
  // Not -0.
  const added = (places & RATE) == 0 ? value + 0 : isTrue;
  const nanos = nanosOf(added);
  const endpoint = places >> ENDPOINT_SHIFT;
  if (endpoint != 0) addToMinute(2 * endpoint - 2 + odd, minute, nanos, added);
  const sum = secondAt(whole, open);
  if (load<f64>(sum, 8) + nanos > NANOS_MAX) {
    close(WHOLE_PLACE + number, second, load<f64>(sum), load<f64>(sum, 8), added, added);
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
  if (count != 0) {
    close(place, <u32>load<f64>(cell), count, sum, load<f64>(cell, MIN), load<f64>(cell, MAX));
  }
  store<f64>(cell, <f64>minute);
  store<f64>(cell, 1, COUNT);
  store<f64>(cell, nanos, NANOS);
  store<f64>(cell, value, MIN);
  store<f64>(cell, value, MAX);
}

function close(place: u32, time: u32, count: f64, nanos: f64, least: f64, most: f64): void {
  const entry = CLOSED + closed * CELL_BYTES;
  store<f64>(entry, <f64>place);
  store<f64>(entry, <f64>time, 8);
  store<f64>(entry, count, 16);
  store<f64>(entry, nanos, 24);
  store<f64>(entry, least, 32);
  store<f64>(entry, most, 40);
  closed += 1;
}

/** As in decimal-sum.ts. */
function nanosOf(value: f64): f64 {
  const integer = trunc<f64>(value);
  const rest = (value - integer) * 1e9;
  const below = floor<f64>(rest);
  return integer * 1e9 + (rest - below >= 0.5 ? below + 1 : below);
}

function placesOf(metric: u32, tags: u32): u32 {
  return PLACES + ((metric * TAGS_MAX + tags) << 2);
}
