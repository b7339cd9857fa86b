/** The writing end of `plain-segment.ts`. */

import type { SumColumns } from "../../model/data-points.ts";
import { type EndpointRun, pickRuns } from "../endpoint-runs.ts";
import { ByteWriter } from "./byte-writer.ts";
import { type Directory, writeDirectory } from "./directory.ts";
import { beginSegment, sealSegment } from "./envelope.ts";
import { writePacked } from "./packed-column.ts";
import { firstPoints } from "./plain-segment.ts";
import { writePredicted } from "./predicted-column.ts";
import { requireExact } from "./require-exact.ts";
import { writeSeconds } from "./seconds-column.ts";

/** Encodes the sums of the points of some runs, which have this directory. */
export function encodePlain(
  points: SumColumns,
  runs: readonly EndpointRun[],
  directory: Directory,
): Uint8Array {
  const writer = beginSegment("plain", points.windowSeconds !== undefined);
  writeDirectory(writer, directory);
  const sections = new ByteWriter();
  const lengths = Float64Array.from(directory.sections, (section) => {
    const from = sections.length;
    const own = runs.slice(section.endpointsFrom, section.endpointsUntil);
    writeSection(sections, pickSums(points, own), firstPoints(directory, section));
    return sections.length - from;
  });
  writePacked(writer, lengths);
  writer.bytes(sections.view());
  return sealSegment(writer);
}

/** The sums of the points of some runs, in the memory they are in where they are neighbours. */
function pickSums(points: SumColumns, runs: readonly EndpointRun[]): SumColumns {
  const picked = (name: Exclude<keyof SumColumns, "second" | "windowSeconds">) => {
    const column = pickRuns(points[name], runs, (length) => new Float64Array(length));
    requireExact(name, column);
    return column;
  };
  const { windowSeconds } = points;
  return {
    second: pickRuns(points.second, runs, (length) => new Uint32Array(length)),
    requests: picked("requests"),
    elapsedMicros: picked("elapsedMicros"),
    receivedBytes: picked("receivedBytes"),
    failedRequests: picked("failedRequests"),
    failedElapsedMicros: picked("failedElapsedMicros"),
    failedReceivedBytes: picked("failedReceivedBytes"),
    windowSeconds:
      windowSeconds && pickRuns(windowSeconds, runs, (length) => new Uint16Array(length)),
  };
}

/** Writes the points of a section, in which endpoints begin at the indexes `firsts`. */
function writeSection(writer: ByteWriter, points: SumColumns, firsts: Uint32Array): void {
  const { requests, windowSeconds } = points;
  writeSeconds(writer, points.second, firsts);
  writePacked(writer, requests);
  writePredicted(writer, points.elapsedMicros, requests);
  writePredicted(writer, points.receivedBytes, requests);
  writeFailures(writer, points);
  if (windowSeconds === undefined) return;
  if (windowSeconds.includes(0)) throw new Error("BUG: a point stands for no second");
  writePacked(writer, Float64Array.from(windowSeconds));
}

/** Failed requests stand only where there are any: few points have one. */
function writeFailures(
  writer: ByteWriter,
  { failedRequests, failedElapsedMicros, failedReceivedBytes }: SumColumns,
): void {
  const failing: number[] = [];
  for (let point = 0; point < failedRequests.length; point++) {
    if ((failedRequests[point] as number) > 0) failing.push(point);
    else if (failedElapsedMicros[point] !== 0 || failedReceivedBytes[point] !== 0) {
      throw new Error(`BUG: point ${point} has no failed request but sums of failed ones`);
    }
  }
  const requests = pick(failedRequests, failing);
  writer.varint(failing.length);
  writePacked(writer, skippedBefore(failing));
  writePacked(writer, requests);
  for (const sum of [failedElapsedMicros, failedReceivedBytes]) {
    writePredicted(writer, pick(sum, failing), requests);
  }
}

function pick(column: Float64Array, points: readonly number[]): Float64Array {
  const picked = new Float64Array(points.length);
  for (let index = 0; index < points.length; index++) {
    picked[index] = column[points[index] as number] as number;
  }
  return picked;
}

/** How many points lie between each of these ascending ones and the one before. */
function skippedBefore(points: readonly number[]): Float64Array {
  const skipped = new Float64Array(points.length);
  let next = 0;
  for (let index = 0; index < points.length; index++) {
    const point = points[index] as number;
    skipped[index] = point - next;
    next = point + 1;
  }
  return skipped;
}
