/**
 * A block: points of some endpoints as two byte segments, each with its own checksum. The plain segment can
 * be read without the other. Format: docs/internals/formats/block.md.
 */

import {
  OPTIONAL_NAMES,
  SUM_NAMES,
  mapSums,
  optionalNamesOf,
  lowerBound,
} from "../../model/columns.ts";
import type { DataPoints, SumColumns } from "../../model/data-points.ts";
import { mergePoints } from "../../model/merge-points.ts";
import { type EndpointRuns, endpointRuns, sliceRuns } from "../endpoint-runs.ts";
import { type IndexRange, pick, viewPoints, viewSums } from "../series.ts";
import { requireExact } from "./bits.ts";
import { ByteWriter } from "./byte-writer.ts";
import { type Directory, type Section, directoryOf, writeDirectory } from "./directory.ts";
import { packBlock } from "./block-kernel.ts";
import { encodeDistribution, openDistribution, sealDistribution } from "./distribution-segment.ts";
import { beginSegment, closeSegment } from "./envelope.ts";
import { skippedBefore, writePacked } from "./packed-column.ts";
import { firstPoints, openPlain } from "./plain-segment.ts";
import { writePredicted } from "./predicted-column.ts";
import { writeSeconds } from "./seconds-column.ts";
import { keptPoints } from "./single-requests.ts";
import type { PointSums } from "../snapshot.ts";

export interface Block {
  readonly plain: Uint8Array;
  readonly distribution: Uint8Array;
}

/**
 * Encodes the points of runs: each run by second, endpoints ascending and distinct. @default all points,
 * sorted by (endpoint, second), unique
 */
export function encodeBlock(points: DataPoints, runs = endpointRuns(points.endpoint)): Block {
  const packed = packBlock(points, runs);
  if (packed === undefined) return encodeOddBlock(points, runs);
  const writer = beginSegment("plain");
  for (const part of packed.plain) writer.bytes(part);
  const plain = closeSegment(writer);
  const sections = () => directoryOf(runs).sections;
  return { plain, distribution: sealDistribution({ points, runs, sections }, packed, plain) };
}

/** As `encodeBlock`, without WebAssembly: the same bytes, for points of any kind. */
export function encodeOddBlock(points: DataPoints, runs: EndpointRuns): Block {
  requireOrder(points, runs);
  const directory = directoryOf(runs);
  const plain = encodePlain(points, runs, directory);
  return { plain, distribution: encodeDistribution({ points, runs, directory }, plain) };
}

/** Decodes all points of a block. Throws `damaged-store`, `store-too-new`. */
export function decodeBlock(block: Block): DataPoints {
  // Sections follow the order of points, so that merging only concatenates them.
  return mergePoints([...openBlock(block).points(0, Infinity)]);
}

export interface OpenedBlock<Points = DataPoints> {
  /**
   * Returns the points of the endpoints from `from` to `until` (half open), in order and in chunks. Do not
   * change the columns.
   */
  points(from: number, until: number): Iterable<Points>;
}

/** Opens a block, decoding lazily. Throws what `decodeBlock` throws. */
export function openBlock(block: Block): OpenedBlock {
  const plain = openPlain(block.plain);
  const distribution = openDistribution(block.distribution, plain, block.plain);
  const pointsOf = (section: Section) => {
    const points = { ...plain.section(section), ...distribution.section(section) };
    const outcomes = distribution.outcomes(section);
    return outcomes === undefined ? points : { ...points, outcomes };
  };
  return openSections(plain.directory, pointsOf, viewPoints);
}

/** Opens the plain segment of a block alone. Throws what `decodeBlock` throws. */
export function openSums(segment: Uint8Array): OpenedBlock<PointSums> {
  const plain = openPlain(segment);
  return openSections(plain.directory, (section) => plain.section(section), viewSums);
}

/** `view` returns a range of the points that `pointsOf` returns. */
function openSections<Points extends PointSums>(
  directory: Directory,
  pointsOf: (section: Section) => Omit<Points, "endpoint">,
  view: (points: Points, from: number, until: number) => Points,
): OpenedBlock<Points> {
  const { endpoints, sections } = directory;
  return {
    *points(from, until) {
      const wanted = { from: lowerBound(endpoints, from), until: lowerBound(endpoints, until) };
      for (const section of sections) {
        const places = {
          from: Math.max(wanted.from, section.endpointsFrom),
          until: Math.min(wanted.until, section.endpointsUntil),
        };
        if (places.from >= places.until) continue;
        const endpoint = endpointColumn(directory, section, places);
        const points = { endpoint, ...pointsOf(section) } as Points;
        const start = (place: number) =>
          (directory.pointsFrom[place] as number) - section.pointsFrom;
        const [first, end] = [start(places.from), start(places.until)];
        const isWhole = first === 0 && end === points.second.length;
        yield isWhole ? points : view(points, first, end);
      }
    },
  };
}

/** Returns the endpoint of each point of a section, within a range of the directory. */
function endpointColumn(
  { endpoints, pointsFrom }: Directory,
  section: Section,
  places: IndexRange,
): Uint32Array {
  const start = (place: number) => (pointsFrom[place] as number) - section.pointsFrom;
  const endpoint = new Uint32Array(section.pointsUntil - section.pointsFrom);
  for (let place = places.from; place < places.until; place++) {
    endpoint.fill(endpoints[place] as number, start(place), start(place + 1));
  }
  return endpoint;
}

/** Most of the compression comes from order: points are stored as increments. */
function requireOrder({ second }: DataPoints, { endpoint, from, until }: EndpointRuns): void {
  for (let run = 0; run < endpoint.length; run++) {
    const [first, end] = [from[run] as number, until[run] as number];
    if ((endpoint[run] as number) <= (endpoint[run - 1] ?? -1)) {
      throw new Error(`BUG: point ${first} is out of order`);
    }
    for (let point = first + 1; point < end; point++) {
      if ((second[point] as number) > (second[point - 1] as number)) continue;
      throw new Error(`BUG: point ${point} is out of order`);
    }
  }
}

/** Encodes the sums of the points of runs with this directory. */
function encodePlain(points: SumColumns, runs: EndpointRuns, directory: Directory): Uint8Array {
  const optional = optionalNamesOf(points).map((name) => OPTIONAL_NAMES.indexOf(name));
  const writer = beginSegment("plain", optional);
  writeDirectory(writer, directory);
  const sections = new ByteWriter();
  const lengths = Float64Array.from(directory.sections, (section) => {
    const from = sections.length;
    const own = sliceRuns(runs, section.endpointsFrom, section.endpointsUntil);
    writeSection(sections, pickSums(points, own), firstPoints(directory, section));
    return sections.length - from;
  });
  writePacked(writer, lengths);
  writer.bytes(sections.view());
  return closeSegment(writer);
}

/** Returns the sums of the points of runs. */
function pickSums(points: SumColumns, runs: EndpointRuns): SumColumns {
  const { kept } = keptPoints(points, [runs], true);
  return mapSums(points, (column) => pick(column, kept));
}

/** Writes the points of a section; endpoints begin at the indexes `firsts`. */
function writeSection(writer: ByteWriter, points: SumColumns, firsts: Uint32Array): void {
  const { requests, windowSeconds } = points;
  for (const name of SUM_NAMES) requireExact(name, points[name]);
  writeSeconds(writer, points.second, firsts);
  writePacked(writer, requests);
  writePredicted(writer, points.elapsedMicros, requests);
  writePredicted(writer, points.receivedBytes, requests);
  writeFailures(writer, points);
  if (windowSeconds?.includes(0)) throw new Error("BUG: a point stands for no second");
  for (const name of optionalNamesOf(points)) {
    const column = Float64Array.from(points[name] ?? []);
    requireExact(name, column);
    writePacked(writer, column);
  }
}

/** Failed requests are stored sparsely: few points have any. */
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
