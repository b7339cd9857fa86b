/** The distribution segment of a block: histograms, minima and maxima of its points. */

import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { DataPoints, DistributionColumns, Outcomes } from "../../model/data-points.ts";
import { extremesState } from "../../model/histogram.ts";
import { type EndpointRuns, sliceRuns } from "../endpoint-runs.ts";
import type { ColumnRange } from "../join-series.ts";
import type { PackedBlock } from "./block-kernel.ts";
import { ByteWriter } from "./byte-writer.ts";
import { type Directory, placeOf, type Section } from "./directory.ts";
import { encodeHistograms } from "./encode-histograms.ts";
import { beginSegment, checksumOf, damagedSegment, openSegment, closeSegment } from "./envelope.ts";
import { readExtremes, writeExtremes } from "./extremes.ts";
import { readOutcomes, writeOutcomes } from "./outcome-columns.ts";
import {
  decodeStreams,
  HISTOGRAM_FORMS,
  type HistogramForm,
  type Streams,
} from "./histogram-streams.ts";
import { readPacked, startsOf, writePacked } from "./packed-column.ts";
import { keepLast, pointsWithin, type PlainSegment, sectionOf } from "./plain-segment.ts";
import { insertSingles, keptPoints, singlesFollow, withoutSingles } from "./single-requests.ts";

const STREAMS = 3;
/** Indexes of optional columns. */
const SOME_ABSENT = 0;
const OUTCOMES = 1;
/** Flags. Points with one request are omitted: they follow from the sums. */
const SINGLES_FOLLOW = 2;
/** Buckets are numbered by `millisecondRanks`. */
const ARE_RANKS = 4;

/** Points of runs with this directory. */
interface BlockPoints {
  readonly points: DataPoints;
  readonly runs: EndpointRuns;
  readonly directory: Directory;
}

/** Encodes the distributions of the points in the encoded segment `plain`. */
export function encodeDistribution(
  { points, runs, directory: { sections } }: BlockPoints,
  plain: Uint8Array,
): Uint8Array {
  const follow = singlesFollow(points, runs);
  const { kept, from } = keptPoints(points, runsOfSections(sections, runs), !follow);
  const { form, areRanks, lengths, bytes, lowBits } = encodeHistograms(points, { kept, from });
  const extremes = new ByteWriter();
  const extremesLengths = Float64Array.from(sections, (_, section) => {
    const before = extremes.length;
    writeExtremes(extremes, points, kept.subarray(from[section], from[section + 1]));
    return extremes.length - before;
  });
  const head = new ByteWriter();
  const flags = (follow ? SINGLES_FOLLOW : 0) | (areRanks ? ARE_RANKS : 0);
  head.byte(HISTOGRAM_FORMS.indexOf(form) | flags);
  for (const column of [extremesLengths, ...lengths]) writePacked(head, column);
  const distribution = [head.view(), lowBits, extremes.view()] as const;
  const packed = { distribution, streams: bytes };
  const isAnyAbsent = kept.some((point) => extremesState(points, point) !== "known");
  const about = { points, runs, sections: () => sections, isAnyAbsent };
  return sealDistribution(about, packed, plain);
}

interface SealedPoints extends Omit<BlockPoints, "directory"> {
  readonly sections: () => readonly Section[];
  /** Whether extremes of some points are unknown or absent. @default false */
  readonly isAnyAbsent?: boolean;
}

/** Adds the known outcomes to the packed distributions of points, and the envelope. */
export function sealDistribution(
  { points, runs, sections, isAnyAbsent = false }: SealedPoints,
  { distribution, streams }: Pick<PackedBlock, "distribution" | "streams">,
  plain: Uint8Array,
): Uint8Array {
  const outcomes = new ByteWriter();
  const outcomesLengths =
    points.outcomes === undefined
      ? new Float64Array(0)
      : Float64Array.from(runsOfSections(sections(), runs), (own) => {
          const before = outcomes.length;
          writeOutcomes(outcomes, points, own);
          return outcomes.length - before;
        });
  const writer = beginSegment("distribution", [
    ...(isAnyAbsent ? [SOME_ABSENT] : []),
    ...(outcomes.length > 0 ? [OUTCOMES] : []),
  ]);
  writer.uint32(checksumOf(plain));
  for (const part of distribution) writer.bytes(part);
  const body = compressed(streams);
  writer.varint(body.length);
  writer.bytes(body);
  if (outcomes.length > 0) {
    writePacked(writer, outcomesLengths);
    writer.bytes(outcomes.view());
  }
  return closeSegment(writer);
}

function runsOfSections(sections: readonly Section[], runs: EndpointRuns) {
  return sections.map((own) => sliceRuns(runs, own.endpointsFrom, own.endpointsUntil));
}

/** An opened distribution segment with a valid checksum. */
export interface DistributionSegment {
  /** Returns the distributions of all points of one section. */
  section(section: Section): DistributionColumns;
  /** Returns what is known of the outcomes of one section, by its points. */
  outcomes(section: Section): Outcomes | undefined;
  /** The same for the section of an endpoint, by the points of that section. */
  outcomesOf(endpoint: number): Outcomes | undefined;
  /** Returns the position of one endpoint's distributions; `undefined` if the block has none. */
  rangeOf(endpoint: number): ColumnRange<DistributionColumns> | undefined;
}

/**
 * Opens the distribution segment of `plain`, whose bytes are `plainBytes`. Throws `damaged-store`,
 * `store-too-new`.
 */
export function openDistribution(
  segment: Uint8Array,
  plain: PlainSegment,
  plainBytes: Uint8Array,
): DistributionSegment {
  const { reader, optional } = openSegment("distribution", segment);
  if (reader.uint32() !== checksumOf(plainBytes)) {
    throw damagedSegment("distribution", "it belongs to another plain segment");
  }
  const { directory } = plain;
  const flags = reader.byte();
  const form = HISTOGRAM_FORMS[flags & 1] as HistogramForm;
  const coding = { form, areRanks: (flags & ARE_RANKS) !== 0 };
  const follow = (flags & SINGLES_FOLLOW) !== 0;
  const sections = directory.sections.length;
  const extremes = startsOf(readPacked(reader, sections), 0);
  const streams: Float64Array[] = [];
  const compressedStreams = form === "gaps" ? STREAMS - 1 : STREAMS;
  let [end, lowBitsEnd] = [0, 0];
  for (let stream = 0; stream < STREAMS; stream++) {
    const isCompressed = stream < compressedStreams;
    const starts = startsOf(readPacked(reader, sections), isCompressed ? end : 0);
    if (isCompressed) end = starts[sections] as number;
    else lowBitsEnd = starts[sections] as number;
    streams.push(starts);
  }
  const lowBits = reader.take(lowBitsEnd);
  const extremesAt = reader.at;
  reader.take(extremes[sections] as number);
  const body = decompress(reader.take(reader.varint()), end);
  const outcomes = optional.includes(OUTCOMES)
    ? startsOf(readPacked(reader, sections), 0)
    : undefined;
  const outcomesAt = reader.at;

  const section = keepLast((wanted: Section): DistributionColumns => {
    const index = directory.sections.indexOf(wanted);
    const own = streams.map((starts, stream) =>
      (stream < compressedStreams ? body : lowBits).subarray(starts[index], starts[index + 1]),
    );
    const sums = plain.section(wanted);
    const requests = follow ? withoutSingles(sums.requests) : sums.requests;
    const histograms = decodeStreams(coding, own as unknown as Streams, requests);
    reader.at = extremesAt + (extremes[index] as number);
    const kept = { ...histograms, ...readExtremes(reader, histograms) };
    return follow ? insertSingles(kept, sums) : kept;
  });
  const outcomesOfSection = (wanted: Section): Outcomes | undefined => {
    const index = directory.sections.indexOf(wanted);
    if (outcomes === undefined || outcomes[index] === outcomes[index + 1]) return undefined;
    const points = { ...plain.section(wanted), ...section(wanted) };
    reader.at = outcomesAt + (outcomes[index] as number);
    return readOutcomes(reader, points);
  };
  return {
    section,
    outcomes: outcomesOfSection,
    outcomesOf(endpoint) {
      const place = placeOf(directory, endpoint);
      return place === undefined ? undefined : outcomesOfSection(sectionOf(directory, place));
    },
    rangeOf(endpoint) {
      const place = placeOf(directory, endpoint);
      if (place === undefined) return undefined;
      const home = sectionOf(directory, place);
      return { columns: section(home), ...pointsWithin(directory, home, place) };
    },
  };
}

function compressed(bytes: Uint8Array): Uint8Array {
  const params = { [constants.ZSTD_c_compressionLevel]: 1 };
  return bytes.length === 0 ? bytes : zstdCompressSync(bytes, { params });
}

function decompress(body: Uint8Array, length: number): Uint8Array {
  if (length === 0) return body;
  const whole = zstdDecompressSync(body, { maxOutputLength: length });
  // Copied: the result is part of a chunk of 16 KB, which an opened block would keep alive.
  if (whole.length === length) return new Uint8Array(whole);
  throw damagedSegment("distribution", `${whole.length} bytes instead of ${length}`);
}
