import {
  BATCH_ROWS,
  ELAPSED_MICROS,
  FAILED_REQUESTS,
  FAILED_ROW,
  FAILED_TAGS,
  LABEL,
  MILLIS,
  ROW_TAGS,
  SECOND,
  WAITING,
} from "./layout";
import {
  FAILED,
  FLAGS,
  LABEL_INDEX,
  LABELLED,
  MARKED,
  numberOf,
  USUAL,
  WITHOUT_LABEL,
  WITHOUT_STATUS,
} from "./tags";
import { recordValue } from "./measured";
import { hasParts, nanos, second } from "./times";

/** Number of rows in the batch, and of failed rows of the last `read`. */
export let rows: u32 = 0;
export let failures: u32 = 0;
/** Requests of the last `read`: with neither status nor mark, an empty label, a time in whole seconds, a finer time. */
export let unmarked: u32 = 0;
export let unlabelled: u32 = 0;
export let coarse: u32 = 0;
export let fine: u32 = 0;

/** Offsets at `WAITING` in the request that waits for its outcome, four bytes each: see k6-kernel.ts. */
const IS_WAITING: u32 = 0;
const HAS_FAILED: u32 = 4;
const IS_MARKED: u32 = 8;
const HAS_STATUS: u32 = 12;
const TAGS: u32 = 16;
const LABEL_OF: u32 = 20;
const ENDED_SECOND: u32 = 24;
const ENDED_NANOS: u32 = 28;
/** These and the three above are of the last request, whether it waits or not. */
const STARTED_SECOND: u32 = 32;
const IS_USUAL: u32 = 36;

/** Number of the metric of passed requests. */
const PASSED: u32 = 0xffffffff;

const NANOS_PER_SECOND: i64 = 1_000_000_000;
const NANOS_PER_MILLI: i64 = 1_000_000;
const SECOND_LIMIT: i64 = 4_294_967_296;

export function beginRequests(firstRow: u32): void {
  rows = firstRow;
  failures = 0;
  unmarked = 0;
  unlabelled = 0;
  coarse = 0;
  fine = 0;
}

export function isWaiting(): bool {
  return load<u32>(WAITING, IS_WAITING) != 0;
}

/** Opens a row for a request of `elapsed` nanoseconds. Returns false if it is not plain, or the batch is full. */
export function takeRequest(tags: u32, elapsed: i64): bool {
  const flags = load<u32>(tags, FLAGS);
  if ((flags & LABELLED) == 0) return false;
  const seconds = elapsed / NANOS_PER_SECOND;
  const rest = elapsed - seconds * NANOS_PER_SECOND;
  const borrow: i64 = rest > nanos ? 1 : 0;
  const started = second - seconds - borrow;
  if (started <= 0 || second >= SECOND_LIMIT) return false;
  settle();
  if (rows == BATCH_ROWS) return false;
  const label = load<u32>(tags, LABEL_INDEX);
  const word = rows << 2;
  store<u32>(LABEL + word, label);
  store<u32>(SECOND + word, <u32>started);
  store<f64>(ELAPSED_MICROS + (word << 1), <f64>((elapsed + 500) / 1000));
  store<u32>(ROW_TAGS + word, numberOf(tags));
  const startedNanos = nanos - rest + borrow * NANOS_PER_SECOND;
  store<u32>(MILLIS + word, <u32>(startedNanos / NANOS_PER_MILLI));
  if (hasParts) fine += 1;
  else coarse += 1;
  if ((flags & WITHOUT_LABEL) != 0) unlabelled += 1;
  wait(tags, label, flags, <u32>started);
  // A failure marked in the request's tags is final.
  if ((flags & MARKED) != 0 && (flags & FAILED) != 0) settle();
  return true;
}

/** Sets the outcome of the waiting request if label and time match. Returns false if the label is unknown. */
export function takeOutcome(tags: u32, hasFailed: bool): bool {
  if ((load<u32>(tags, FLAGS) & LABELLED) == 0) return false;
  if (!isOfLast(tags)) return true;
  store<u32>(WAITING, <u32>hasFailed, HAS_FAILED);
  store<u32>(WAITING, 1, IS_MARKED);
  settle();
  return true;
}

/** Returns the UNIX second of a phase's value: the start of the last request if it belongs to it, else its own. */
export function phaseSecond(tags: u32): i64 {
  return isOfLast(tags) ? <i64>load<u32>(WAITING, STARTED_SECOND) : second;
}

/** Reports whether a line with these tags and the last time read belongs to the last request. */
function isOfLast(tags: u32): bool {
  return (
    load<u32>(tags, LABEL_INDEX) == load<u32>(WAITING, LABEL_OF) &&
    second == <i64>load<u32>(WAITING, ENDED_SECOND) &&
    nanos == <i64>load<u32>(WAITING, ENDED_NANOS)
  );
}

function wait(tags: u32, label: u32, flags: u32, started: u32): void {
  store<u32>(WAITING, 1, IS_WAITING);
  store<u32>(WAITING, <u32>((flags & FAILED) != 0), HAS_FAILED);
  store<u32>(WAITING, <u32>((flags & MARKED) != 0), IS_MARKED);
  store<u32>(WAITING, <u32>((flags & WITHOUT_STATUS) == 0), HAS_STATUS);
  store<u32>(WAITING, numberOf(tags), TAGS);
  store<u32>(WAITING, label, LABEL_OF);
  store<u32>(WAITING, <u32>second, ENDED_SECOND);
  store<u32>(WAITING, <u32>nanos, ENDED_NANOS);
  store<u32>(WAITING, started, STARTED_SECOND);
  store<u32>(WAITING, <u32>((flags & USUAL) != 0), IS_USUAL);
}

function settle(): void {
  if (!isWaiting()) return;
  const hasFailed = load<u32>(WAITING, HAS_FAILED);
  store<u32>(FAILED_REQUESTS + (rows << 2), hasFailed);
  if (hasFailed != 0) {
    store<u32>(FAILED_ROW + (failures << 2), rows);
    store<u32>(FAILED_TAGS + (failures << 2), load<u32>(WAITING, TAGS));
    failures += 1;
  } else if (load<u32>(WAITING, IS_USUAL) == 0) {
    const started = <i64>load<u32>(WAITING, STARTED_SECOND);
    recordValue(PASSED, load<u32>(WAITING, TAGS), started * 1000, 1);
  }
  if (load<u32>(WAITING, IS_MARKED) == 0 && load<u32>(WAITING, HAS_STATUS) == 0) unmarked += 1;
  store<u32>(WAITING, 0, IS_WAITING);
  rows += 1;
}
