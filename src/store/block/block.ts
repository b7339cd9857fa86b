/**
 * A block: points of some endpoints as two byte segments, each with its own checksum. The plain segment can
 * be read without the other. Format: docs/internals/formats/block.md.
 */

import { OPTIONAL_NAMES, optionalNamesOf, lowerBound } from "../../model/columns.ts";
import type { DataPoints } from "../../model/data-points.ts";
import { mergePoints } from "../../model/merge-points.ts";
import { endpointRuns, type IndexRange, viewPoints, viewSums } from "../series.ts";
import { type Directory, type Section, beginSegment, closeSegment } from "./envelope.ts";
import { packBlock } from "./block-kernel.ts";
import { openDistribution, sealDistribution } from "./distribution-segment.ts";
import { openPlain } from "./plain-segment.ts";
import type { PointSums } from "../snapshot.ts";

export interface Block {
  readonly plain: Uint8Array;
  readonly distribution: Uint8Array;
}

/**
 * Encodes the points of runs: each run by second, endpoints ascending and distinct; at most as many points and used buckets as
 * `packBlock` takes. @default all points, sorted by (endpoint, second), unique
 */
export function encodeBlock(points: DataPoints, runs = endpointRuns(points.endpoint)): Block {
  if (points.windowSeconds?.includes(0)) throw new Error("BUG: a point stands for no second");
  const packed = packBlock(points, runs);
  const writer = beginSegment(
    "plain",
    optionalNamesOf(points).map((name) => OPTIONAL_NAMES.indexOf(name)),
  );
  for (const part of packed.plain) writer.bytes(part);
  const plain = closeSegment(writer);
  return { plain, distribution: sealDistribution(points, runs, { packed, plain }) };
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
