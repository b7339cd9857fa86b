import { BATCH_ROWS, USERS } from "./layout";
import { clearMeasured, hasRoom, tell } from "./measured";
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
import { decimalAt, millionthsAt, numberEnd, ODD } from "./numbers";
import { beginRequests, isWaiting, phaseSecond, takeOutcome, takeRequest } from "./requests";
import { BLOCKED, clearClosed, hasRoomToClose, sumUp, UNKNOWN } from "./sums";
import { FLAGS, LABELLED, numberOf, tagsAt, tagsEnd } from "./tags";
import { clearTime, readTime, second, timeEnd, unixMillis, valueBehind } from "./times";

/** Lines of the last reading, and users that it told of. */
export let lines: u32 = 0;
export let users: u32 = 0;

/** Of the line located last: where its time ends, and where its tags begin. */
export let timeTo: u32 = 0;
export let tagsFrom: u32 = 0;

let allowsZeros: bool = true;

const COMMA: u8 = 0x2c;

/** Whether numbers may have needless zeros in front. */
export function allowZeros(allows: bool): void {
  allowsZeros = allows;
}

/**
 * Reads lines from position `from` on, where one begins, behind the `firstRow` rows that the batch has: until it is
 * full, or to the first line that is odd or does not end before `to`. Returns where that one begins; it has left no
 * trace.
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

/** Whether the last reading stopped because what it tells needs room. */
export function isFull(): bool {
  return !hasRoom() || !hasRoomToClose();
}

/** Finds the parts of the line at `at`, whatever they are. Returns where its time begins; 0 if it has another form. */
export function locate(at: u32): u32 {
  const metric = metricAt(at);
  if (metric == 0) return 0;
  const timeFrom = at + beginLength(metric);
  timeTo = timeEnd(timeFrom);
  if (timeTo == 0) return 0;
  tagsFrom = numberEnd(valueBehind(timeTo));
  return load<u8>(tagsFrom) == COMMA ? timeFrom : 0;
}

/** Reads the line at `at`. Returns where the next one begins; 0 if it could not. */
function readLine(at: u32, to: u32): u32 {
  const metric = metricAt(at);
  if (metric == 0) return 0;
  const valueFrom = readTime(at + beginLength(metric));
  if (valueFrom == 0) return 0;
  const valueTo = numberEnd(valueFrom);
  const tags = tagsAt(valueTo, to);
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

/** Whether a value is plain, and its minute is open. */
function measure(metric: u32, from: u32, to: u32, tags: u32): bool {
  const value = decimalAt(from, to, allowsZeros);
  const isPhase = load<u32>(metric, KIND) == PHASE;
  if (isNaN(value) || (isPhase && (load<u32>(tags, FLAGS) & LABELLED) == 0)) return false;
  const at = isPhase ? phaseSecond(tags) : second;
  const number = numberOfMetric(metric);
  const ofTags = numberOf(tags);
  const outcome = sumUp(number, ofTags, at, value);
  if (outcome == UNKNOWN) tell(number, ofTags, isPhase ? at * 1000 : unixMillis(), value);
  return outcome != BLOCKED;
}

/** Whether a sample of such a metric is plain. */
function take(kind: u32, from: u32, to: u32, tags: u32): bool {
  if (kind > ACTIVE_USERS || (kind == OUTCOME && !isWaiting())) return to > from;
  const value = millionthsAt(from, to, allowsZeros);
  if (value == ODD) return false;
  if (kind == REQUEST) return takeRequest(tags, value);
  return kind == OUTCOME ? takeOutcome(tags, value != 0) : tellUsers(value);
}

function tellUsers(millionths: i64): bool {
  if (users == BATCH_ROWS || second <= 0 || second > <i64>u32.MAX_VALUE) return false;
  store<u32>(USERS + (users << 3), <u32>second);
  // As exact as milliseconds are, in microseconds.
  store<u32>(USERS + (users << 3), <u32>(((millionths + 500) / 1000 + 500) / 1000), 4);
  users += 1;
  return true;
}
