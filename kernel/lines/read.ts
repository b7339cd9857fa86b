import { BATCH_ROWS, USERS } from "./layout";
import { clearMeasured, hasRoom, recordValue } from "./measured";
import {
  ACTIVE_USERS,
  beginLength,
  follow,
  KIND,
  metricAt,
  numberOfMetric,
  OUTCOME,
  PHASE,
  REQUEST,
  VALUE,
} from "./metrics";
import { decimalAt, millionthsAt, numberEnd, NOT_PLAIN } from "./numbers";
import { beginRequests, isWaiting, phaseSecond, takeOutcome, takeRequest } from "./requests";
import { BLOCKED, clearClosed, hasRoomToClose, sumUp, UNKNOWN } from "./sums";
import { addShaped, FLAGS, LABELLED, numberOf, tagsAt, tagsEnd } from "./tags";
import { clearTime, readTime, second, timeEnd, unixMillis, valueAfter } from "./times";

/** Number of lines of the last `read`, and of entries at `USERS`. */
export let lines: u32 = 0;
export let users: u32 = 0;

/** Results of `locate`: the end of the time and the start of the tags. */
export let timeTo: u32 = 0;
export let tagsFrom: u32 = 0;

let allowsZeros: bool = true;

const COMMA: u8 = 0x2c;

/** Sets whether numbers may have leading zeros. */
export function allowZeros(allows: bool): void {
  allowsZeros = allows;
}

/**
 * Reads lines from `from`, the start of one, and appends their requests to the batch, which has `firstRow` rows. Stops when
 * the batch or the room for values is full, and before a line that is left to the exact reader, needs a minute to be closed
 * or does not end before `to`. Returns the start of that line, which has no effect.
 */
export function read(from: u32, to: u32, firstRow: u32): u32 {
  beginRequests(firstRow);
  clearTime();
  clearMeasured();
  clearClosed();
  lines = 0;
  users = 0;
  let at = from;
  let next = at < to ? readLine(at, to) : 0;
  while (next != 0) {
    at = next;
    lines += 1;
    next = at < to ? readLine(at, to) : 0;
  }
  return at;
}

/** Reports whether there is no room for the values or closed sums of another line. */
export function isFull(): bool {
  return !hasRoom() || !hasRoomToClose();
}

/** Locates time and tags of the line at `at`, known or not. Returns the start of the time; 0 if it has another form. */
export function locate(at: u32): u32 {
  const metric = metricAt(at);
  if (metric == 0) return 0;
  const timeFrom = at + beginLength(metric);
  timeTo = timeEnd(timeFrom);
  if (timeTo == 0) return 0;
  tagsFrom = numberEnd(valueAfter(timeTo));
  return load<u8>(tagsFrom) == COMMA ? timeFrom : 0;
}

/** Reads the line at `at`. Returns the start of the next one, or 0 to stop here. */
function readLine(at: u32, to: u32): u32 {
  const metric = metricAt(at);
  if (metric == 0) return 0;
  const valueFrom = readTime(at + beginLength(metric));
  if (valueFrom == 0) return 0;
  const valueTo = numberEnd(valueFrom);
  let tags = tagsAt(valueTo, to);
  if (tags == 0) {
    // Lines that cannot be read must not add a label.
    if (tagsEnd == to || isNaN(decimalAt(valueFrom, valueTo, allowsZeros))) return 0;
    tags = addShaped(valueTo);
  }
  if (tags == 0 || isFull()) return 0;
  const kind = load<u32>(metric, KIND);
  const isTaken =
    kind == PHASE || kind == VALUE
      ? measure(metric, valueFrom, valueTo, tags)
      : take(kind, valueFrom, valueTo, tags);
  if (!isTaken) return 0;
  follow(metric);
  return tagsEnd + 1;
}

/** Sums up or records a value. Returns false if it is not plain, or its minute is not open. */
function measure(metric: u32, from: u32, to: u32, tags: u32): bool {
  const value = decimalAt(from, to, allowsZeros);
  const isPhase = load<u32>(metric, KIND) == PHASE;
  if (isNaN(value) || (isPhase && (load<u32>(tags, FLAGS) & LABELLED) == 0)) return false;
  const at = isPhase ? phaseSecond(tags) : second;
  const number = numberOfMetric(metric);
  const ofTags = numberOf(tags);
  const outcome = sumUp(number, ofTags, at, value);
  if (outcome == UNKNOWN) recordValue(number, ofTags, isPhase ? at * 1000 : unixMillis(), value);
  return outcome != BLOCKED;
}

/** Handles a sample of another kind. Returns false if it is not plain, or the batch is full. */
function take(kind: u32, from: u32, to: u32, tags: u32): bool {
  if (kind > ACTIVE_USERS || (kind == OUTCOME && !isWaiting())) return to > from;
  const value = millionthsAt(from, to, allowsZeros);
  if (value == NOT_PLAIN) return false;
  if (kind == REQUEST) return takeRequest(tags, value);
  return kind == OUTCOME ? takeOutcome(tags, value != 0) : recordUsers(value);
}

function recordUsers(millionths: i64): bool {
  if (users == BATCH_ROWS || second <= 0 || second > <i64>u32.MAX_VALUE) return false;
  store<u32>(USERS + (users << 3), <u32>second);
  // Rounded twice, as by the exact reader, which reads users like a duration in milliseconds.
  store<u32>(USERS + (users << 3), <u32>(((millionths + 500) / 1000 + 500) / 1000), 4);
  users += 1;
  return true;
}
