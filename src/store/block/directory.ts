/**
 * Directory of a block: its endpoints, and how their points are split into sections. A section is encoded
 * together: one endpoint with many points, or several with few, so that neither column headers nor the cost
 * of reading one endpoint dominate.
 */

import { lowerBound } from "../../model/columns.ts";
import { type EndpointRuns, pointsBefore } from "../series.ts";
import type { ByteReader, ByteWriter } from "./bytes.ts";
import { readPacked } from "./packed-column.ts";

/** A section takes further endpoints until it has this many points. Part of the format. */
export const SECTION_POINTS = 128;

export interface Directory {
  /** Endpoint numbers, ascending. */
  readonly endpoints: Uint32Array;
  /** The points of endpoint i are `pointsFrom[i]` to `pointsFrom[i + 1]` of the block, half open. */
  readonly pointsFrom: Uint32Array;
  readonly sections: readonly Section[];
}

export interface Section {
  /** Indexes of its endpoints in the directory, half open. */
  readonly endpointsFrom: number;
  readonly endpointsUntil: number;
  /** Indexes of its points in the block, half open. */
  readonly pointsFrom: number;
  readonly pointsUntil: number;
}

/** Returns the directory of a block with these consecutive runs. */
export function directoryOf(runs: EndpointRuns): Directory {
  return withSections(runs.endpoint, pointsBefore(runs));
}

export function readDirectory(reader: ByteReader): Directory {
  const count = reader.varint();
  const gaps = readPacked(reader, count);
  const counts = readPacked(reader, count);
  const endpoints = new Uint32Array(count);
  const pointsFrom = new Uint32Array(count + 1);
  for (let index = 0; index < count; index++) {
    const earlier = index === 0 ? -1 : (endpoints[index - 1] as number);
    endpoints[index] = earlier + 1 + (gaps[index] as number);
    pointsFrom[index + 1] = (pointsFrom[index] as number) + (counts[index] as number);
  }
  return withSections(endpoints, pointsFrom);
}

/**
 * Returns the index of `endpoint` in the directory; `undefined` if the block has no point of it.
 */
export function placeOf(directory: Directory, endpoint: number): number | undefined {
  const place = lowerBound(directory.endpoints, endpoint);
  return directory.endpoints[place] === endpoint ? place : undefined;
}

function withSections(endpoints: Uint32Array, pointsFrom: Uint32Array): Directory {
  const sections: Section[] = [];
  let first = 0;
  for (let endpoint = 1; endpoint <= endpoints.length; endpoint++) {
    const from = pointsFrom[first] as number;
    const until = pointsFrom[endpoint] as number;
    if (until - from < SECTION_POINTS && endpoint < endpoints.length) continue;
    sections.push({
      endpointsFrom: first,
      endpointsUntil: endpoint,
      pointsFrom: from,
      pointsUntil: until,
    });
    first = endpoint;
  }
  return { endpoints, pointsFrom, sections };
}

/** Texts: UTF-8, each preceded by its number of bytes. */
export function writeText(writer: ByteWriter, text: string): void {
  const bytes = Buffer.from(text);
  writer.varint(bytes.length);
  writer.bytes(bytes);
}

export function readText(reader: ByteReader): string {
  return Buffer.from(reader.take(reader.varint())).toString();
}
