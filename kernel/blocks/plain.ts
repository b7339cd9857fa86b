import {
  ELAPSED_MICROS,
  FAILED_ELAPSED_MICROS,
  FAILED_RECEIVED_BYTES,
  FAILED_REQUESTS,
  OPTIONAL,
  OPTIONAL_COLUMNS,
  PICKED,
  PICKED_BYTES,
  PICKED_ELAPSED,
  PLAIN,
  PLAIN_BYTES,
  PLAIN_SECTIONS,
  POINTS_MAX,
  RECEIVED_BYTES,
  REQUESTS,
  RUN_ENDPOINT,
  RUN_POINTS,
  SECOND,
  SECTION_POINT,
  SECTION_RUN,
  VALUES,
} from "./layout";
import { writePacked, writePredicted } from "./packed";
import { at, varint, writeTo } from "./writer";

/** Bytes at `PLAIN` and then at `PLAIN_SECTIONS`: the plain segment without its envelope. */
export let plainBytes: u32 = 0;
export let plainSectionsBytes: u32 = 0;

/** Encodes the sums. Returns false if a point without failed requests has sums of failed ones. */
export function encodePlain(runs: u32, sections: u32, optional: u32): bool {
  writeTo(PLAIN_SECTIONS);
  for (let section: u32 = 0; section < sections; section++) {
    const before = at;
    if (!writeSection(section, optional)) return false;
    store<f64>(PLAIN_BYTES + (section << 3), <f64>(at - before));
  }
  plainSectionsBytes = at - PLAIN_SECTIONS;
  writeTo(PLAIN);
  writeDirectory(runs);
  writePacked(PLAIN_BYTES, sections);
  plainBytes = at - PLAIN;
  return true;
}

function writeDirectory(runs: u32): void {
  varint(runs);
  let next: u32 = 0;
  for (let run: u32 = 0; run < runs; run++) {
    const endpoint = load<u32>(RUN_ENDPOINT + (run << 2));
    store<f64>(VALUES + (run << 3), <f64>(endpoint - next));
    next = endpoint + 1;
  }
  writePacked(VALUES, runs);
  for (let run: u32 = 0; run < runs; run++) {
    store<f64>(VALUES + (run << 3), <f64>load<u32>(RUN_POINTS + (run << 2)));
  }
  writePacked(VALUES, runs);
}

function writeSection(section: u32, optional: u32): bool {
  const from = load<u32>(SECTION_POINT + (section << 2));
  const until = load<u32>(SECTION_POINT + (section << 2), 4);
  const firstRun = load<u32>(SECTION_RUN + (section << 2));
  const endRun = load<u32>(SECTION_RUN + (section << 2), 4);
  const count = until - from;
  writeSeconds(from, firstRun, endRun);
  const requests = REQUESTS + (from << 3);
  writePacked(requests, count);
  writePredicted(ELAPSED_MICROS + (from << 3), requests, count);
  writePredicted(RECEIVED_BYTES + (from << 3), requests, count);
  if (!writeFailures(from, until)) return false;
  for (let index: u32 = 0; index < OPTIONAL_COLUMNS; index++) {
    if (((optional >> index) & 1) == 0) continue;
    writePacked(OPTIONAL + ((index * POINTS_MAX + from) << 3), count);
  }
  return true;
}

/** Writes the number of seconds skipped before each point; before the first of a run, since the origin. */
function writeSeconds(from: u32, firstRun: u32, endRun: u32): void {
  let origin: u32 = u32.MAX_VALUE;
  let point = from;
  for (let run = firstRun; run < endRun; run++) {
    origin = min(origin, load<u32>(SECOND + (point << 2)));
    point += load<u32>(RUN_POINTS + (run << 2));
  }
  let value = VALUES;
  point = from;
  for (let run = firstRun; run < endRun; run++) {
    let next = origin;
    const end = point + load<u32>(RUN_POINTS + (run << 2));
    for (; point < end; point++, value += 8) {
      const second = load<u32>(SECOND + (point << 2));
      store<f64>(value, <f64>(second - next));
      next = second + 1;
    }
  }
  varint(origin);
  writePacked(VALUES, (value - VALUES) >> 3);
}

/** Writes the points with failed requests. Returns false if another point has sums of failed requests. */
function writeFailures(from: u32, until: u32): bool {
  let failing: u32 = 0;
  let next = from;
  for (let point = from; point < until; point++) {
    const place = point << 3;
    const requests = load<f64>(FAILED_REQUESTS + place);
    const elapsed = load<f64>(FAILED_ELAPSED_MICROS + place);
    const bytes = load<f64>(FAILED_RECEIVED_BYTES + place);
    if (requests == 0) {
      if (elapsed != 0 || bytes != 0) return false;
      continue;
    }
    store<f64>(VALUES + failing, <f64>(point - next));
    store<f64>(PICKED + failing, requests);
    store<f64>(PICKED_ELAPSED + failing, elapsed);
    store<f64>(PICKED_BYTES + failing, bytes);
    failing += 8;
    next = point + 1;
  }
  const count = failing >> 3;
  varint(count);
  writePacked(VALUES, count);
  writePacked(PICKED, count);
  writePredicted(PICKED_ELAPSED, PICKED, count);
  writePredicted(PICKED_BYTES, PICKED, count);
  return true;
}
