/** The plain segment of a block: seconds and sums, everything that `GET /Api/Metrics` needs. */

import { OPTIONAL_NAMES, type OptionalName, SumRoom } from "../../model/columns.ts";
import type { SumColumns } from "../../model/data-points.ts";
import { partOfRange, type ColumnRange, type SumPart, type SumPlace } from "../join-series.ts";
import type { IndexRange } from "../series.ts";
import type { ByteReader } from "./bytes.ts";
import {
  type Directory,
  type Section,
  damagedSegment,
  openSegment,
  placeOf,
  readDirectory,
} from "./envelope.ts";
import { readPacked, unpack, readPredicted, unpackPredicted } from "./packed-column.ts";
import { unpackSeconds } from "./seconds-column.ts";

/** An opened plain segment with a valid checksum. */
export interface PlainSegment {
  readonly directory: Directory;
  /** Returns all points of one section. The last result is cached: do not change the columns. */
  section(section: Section): SumColumns;
  /** Returns the position of the points of one endpoint; `undefined` if the block has none. */
  rangeOf(endpoint: number): ColumnRange<SumColumns> | undefined;
  /** Returns the same points, decoded when they are copied. */
  part(endpoint: number): SumPart | undefined;
}

/** Opens a segment. Throws `damaged-store`, `store-too-new`. */
export function openPlain(segment: Uint8Array): PlainSegment {
  const { reader, optional: places } = openSegment("plain", segment);
  const optional = places.flatMap((index) => OPTIONAL_NAMES[index] ?? []);
  const directory = readDirectory(reader);
  const lengths = readPacked(reader, directory.sections.length);
  const starts = startsOf(lengths, reader.at);
  const section = keepLast((wanted: Section): SumColumns => {
    const columns = new SumRoom().open(wanted.pointsUntil - wanted.pointsFrom, optional);
    decodeInto({ columns, at: 0 }, wanted);
    return columns;
  });
  function decodeInto(place: SumPlace, wanted: Section): void {
    reader.at = starts.get(wanted.pointsFrom) as number;
    decodeSection(reader, directory, wanted, place);
    for (const name of optional) readOptional(reader, name, place, wanted);
  }
  function startsOf(bytes: Float64Array, first: number): ReadonlyMap<number, number> {
    let at = first;
    const found = new Map<number, number>();
    for (const [index, { pointsFrom }] of directory.sections.entries()) {
      found.set(pointsFrom, at);
      at += bytes[index] as number;
    }
    if (at + 4 !== segment.length) throw damagedSegment("plain", "its sections do not fill it");
    return found;
  }
  return {
    directory,
    section,
    rangeOf(endpoint) {
      const place = placeOf(directory, endpoint);
      if (place === undefined) return undefined;
      const home = sectionOf(directory, place);
      return { columns: section(home), ...pointsWithin(directory, home, place) };
    },
    part(endpoint) {
      const place = placeOf(directory, endpoint);
      if (place === undefined) return undefined;
      const home = sectionOf(directory, place);
      const { from, until } = pointsWithin(directory, home, place);
      const isWhole = home.endpointsUntil - home.endpointsFrom === 1;
      return {
        points: until - from,
        optional,
        putInto(target) {
          if (isWhole) decodeInto(target, home);
          else partOfRange({ columns: section(home), from, until }).putInto(target);
        },
      };
    },
  };
}

/**
 * Caches the last result of `decode`: the distribution of a section needs its sums again, and endpoints that
 * share a section are read one after the other.
 */
export function keepLast<Columns>(
  decode: (section: Section) => Columns,
): (section: Section) => Columns {
  let last: { readonly section: Section; readonly columns: Columns } | undefined;
  return (section) => {
    if (last?.section !== section) last = { section, columns: decode(section) };
    return last.columns;
  };
}

/** Returns the section of the endpoint at index `place` of the directory. */
export function sectionOf({ sections }: Directory, place: number): Section {
  let [low, high] = [0, sections.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sections[middle] as Section).endpointsUntil <= place) low = middle + 1;
    else high = middle;
  }
  const found = sections[low];
  if (found === undefined) throw new Error(`BUG: no section holds place ${place}`);
  return found;
}

/** Returns the points of the endpoint at `place`, as indexes within its section, half open. */
export function pointsWithin(
  { pointsFrom }: Directory,
  section: Section,
  place: number,
): IndexRange {
  return {
    from: (pointsFrom[place] as number) - section.pointsFrom,
    until: (pointsFrom[place + 1] as number) - section.pointsFrom,
  };
}

/** Decodes all but optional columns. */
function decodeSection(
  reader: ByteReader,
  directory: Directory,
  section: Section,
  { columns, at }: SumPlace,
): void {
  const indexes = { from: at, until: at + section.pointsUntil - section.pointsFrom };
  const { second, requests, elapsedMicros, receivedBytes } = columns;
  unpackSeconds(reader, { second, ...indexes }, firstPoints(directory, section));
  unpack(reader, { values: requests, ...indexes });
  unpackPredicted(reader, { values: elapsedMicros, ...indexes }, requests);
  unpackPredicted(reader, { values: receivedBytes, ...indexes }, requests);
  readFailures(reader, { columns, at });
}

function readOptional(
  reader: ByteReader,
  name: OptionalName,
  { columns, at }: SumPlace,
  section: Section,
): void {
  const values = readPacked(reader, section.pointsUntil - section.pointsFrom);
  columns[name]?.set(values, at);
}

/** Returns the first point of each endpoint, as indexes within the section. */
function firstPoints(directory: Directory, section: Section): Uint32Array {
  return directory.pointsFrom
    .slice(section.endpointsFrom, section.endpointsUntil)
    .map((point) => point - section.pointsFrom);
}

function readFailures(reader: ByteReader, { columns, at }: SumPlace): void {
  const failing = readPacked(reader, reader.varint());
  let next = at;
  // Not by its iterator, which allocates an array for each.
  for (let index = 0; index < failing.length; index++) {
    next += failing[index] as number;
    failing[index] = next;
    next += 1;
  }
  const requests = readPacked(reader, failing.length);
  spread(requests, failing, columns.failedRequests);
  spread(readPredicted(reader, requests), failing, columns.failedElapsedMicros);
  spread(readPredicted(reader, requests), failing, columns.failedReceivedBytes);
}

/** Sets the values at these indexes of a column; the others stay 0. */
function spread(values: Float64Array, places: Float64Array, column: Float64Array): void {
  for (let index = 0; index < values.length; index++) {
    column[places[index] as number] = values[index] as number;
  }
}
