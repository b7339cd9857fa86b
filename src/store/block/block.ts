/**
 * A block: points of some endpoints as two segments of bytes. The plain one answers without the
 * other; each ends with its own checksum. Byte by byte in docs/formats/block.md.
 */

import type { DataPoints } from "../../model/data-points.ts";
import { mergePoints } from "../../model/merge-points.ts";
import { type EndpointRun, endpointRuns } from "../endpoint-runs.ts";
import { lowerBound, type Stretch, viewPoints, viewSums } from "../series.ts";
import type { PointSums } from "../store.ts";
import { type Directory, directoryOf, type Section } from "./directory.ts";
import { encodeDistribution, openDistribution } from "./distribution-segment.ts";
import { encodePlain } from "./encode-plain.ts";
import { openPlain } from "./plain-segment.ts";

export interface Block {
  readonly plain: Uint8Array;
  readonly distribution: Uint8Array;
}

/**
 * Encodes the points of some runs: those of one endpoint by second, the endpoints ascending, none of
 * them twice. @default all points, which are sorted by (endpoint, second), no pair twice
 */
export function encodeBlock(
  points: DataPoints,
  runs: readonly EndpointRun[] = endpointRuns(points.endpoint),
): Block {
  requireOrder(points, runs);
  const directory = directoryOf(runs);
  const plain = encodePlain(points, runs, directory);
  return { plain, distribution: encodeDistribution({ points, runs, directory }, plain) };
}

/** Decodes all points of a block. Throws `damaged-store`, `store-too-new`. */
export function decodeBlock(block: Block): DataPoints {
  // Sections follow each other in the order of points, so that merging only joins them.
  return mergePoints([...openBlock(block).points(0, Infinity)]);
}

export interface OpenedBlock<Points = DataPoints> {
  /**
   * The points of the endpoints from `from` to `until` (half open), in order and in parts. The
   * columns are not to be changed.
   */
  points(from: number, until: number): Iterable<Points>;
}

/** Opens a block; nothing is decoded before it is asked for. Throws as `decodeBlock` does. */
export function openBlock(block: Block): OpenedBlock {
  const plain = openPlain(block.plain);
  const distribution = openDistribution(block.distribution, plain, block.plain);
  const pointsOf = (section: Section) => ({
    ...plain.section(section),
    ...distribution.section(section),
  });
  return openSections(plain.directory, pointsOf, viewPoints);
}

/** Opens the plain segment of a block alone. Throws as `decodeBlock` does. */
export function openSums(segment: Uint8Array): OpenedBlock<PointSums> {
  const plain = openPlain(segment);
  return openSections(plain.directory, (section) => plain.section(section), viewSums);
}

/** `view` answers the points from one index to another of those that `pointsOf` gives. */
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

/** The endpoint of each point of a section, as far as they stand at these places of the directory. */
function endpointColumn(
  { endpoints, pointsFrom }: Directory,
  section: Section,
  places: Stretch,
): Uint32Array {
  const start = (place: number) => (pointsFrom[place] as number) - section.pointsFrom;
  const endpoint = new Uint32Array(section.pointsUntil - section.pointsFrom);
  for (let place = places.from; place < places.until; place++) {
    endpoint.fill(endpoints[place] as number, start(place), start(place + 1));
  }
  return endpoint;
}

/** Order is what most bytes are saved by: points are stored as steps upwards. */
function requireOrder({ second }: DataPoints, runs: readonly EndpointRun[]): void {
  let last = -1;
  for (const { endpoint, from, until } of runs) {
    if (endpoint <= last) throw new Error(`BUG: point ${from} is out of order`);
    last = endpoint;
    for (let point = from + 1; point < until; point++) {
      if ((second[point] as number) > (second[point - 1] as number)) continue;
      throw new Error(`BUG: point ${point} is out of order`);
    }
  }
}
