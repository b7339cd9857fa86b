/** Measures as bytes: for digests and for the network. */

import {
  MEASURE_COLUMNS,
  type MeasureColumns,
  measureColumns,
  type MeasureSeries,
  type MeasureTable,
  type UnstoredValues,
} from "./measure-table.ts";

/** What precedes the columns, as JSON. */
interface Head {
  readonly series: readonly MeasureSeries[];
  readonly unstored: UnstoredValues;
  /** Numbers of rows and of entries. */
  readonly sums: number;
  readonly gauges: number;
  readonly histograms: number;
  readonly entries: number;
}

const ALIGNMENT = 8;

/** Length of the head, the head, and the columns, each aligned to 8 bytes. */
export function measureBytes(table: MeasureTable): Uint8Array {
  const head: Head = {
    series: table.series,
    unstored: table.unstored,
    sums: table.sums.series.length,
    gauges: table.gauges.series.length,
    histograms: table.histograms.series.length,
    entries: table.histograms.bucket.length,
  };
  const headBytes = new TextEncoder().encode(JSON.stringify(head));
  const columnsFrom = aligned(ALIGNMENT + headBytes.length);
  const bytes = new Uint8Array(columnsFrom + columnBytes(head));
  new DataView(bytes.buffer).setUint32(0, headBytes.length, true);
  bytes.set(headBytes, ALIGNMENT);
  const columns = columnsAt(bytes.buffer, columnsFrom, head);
  for (const part of ["sums", "gauges", "histograms"] as const) {
    const own = table[part] as unknown as Record<string, Uint32Array>;
    for (const [name, column] of Object.entries(columns[part])) column.set(own[name]);
  }
  return bytes;
}

/** Reads them; the members of `series` are not checked. `undefined` if the bytes are not those of complete columns. */
export function measuresIn(given: Uint8Array): MeasureTable | undefined {
  if (given.length < ALIGNMENT) return undefined;
  // Columns need aligned memory.
  const { buffer } = new Uint8Array(given);
  const headBytes = new DataView(buffer).getUint32(0, true);
  const columnsFrom = aligned(ALIGNMENT + headBytes);
  if (columnsFrom > buffer.byteLength) return undefined;
  const head = parsedHead(new Uint8Array(buffer, ALIGNMENT, headBytes));
  if (head === undefined || columnsFrom + columnBytes(head) !== buffer.byteLength) return undefined;
  const { series, unstored } = head;
  return { series, unstored, ...columnsAt(buffer, columnsFrom, head) };
}

function parsedHead(bytes: Uint8Array): Head | undefined {
  try {
    const head = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes)) as Head;
    const counts = [head.sums, head.gauges, head.histograms, head.entries];
    const areCounts = counts.every((count) => Number.isSafeInteger(count) && count >= 0);
    return areCounts && Array.isArray(head.series) ? head : undefined;
  } catch {
    return undefined;
  }
}

/** The first position from here on at which columns of any type can begin. */
export function aligned(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT;
}

function columnBytes(head: Head): number {
  return MEASURE_COLUMNS.reduce(
    (sum, column) => sum + lengthOf(column, head) * column[2].BYTES_PER_ELEMENT,
    0,
  );
}

function lengthOf([part, name]: (typeof MEASURE_COLUMNS)[number], head: Head): number {
  if (name === "bucket" || name === "bucketCount") return head.entries;
  return name === "bucketsFrom" ? head.histograms + 1 : head[part];
}

function columnsAt(buffer: ArrayBuffer, at: number, head: Head): MeasureColumns {
  let next = at;
  return measureColumns((column) => {
    const made = new column[2](buffer, next, lengthOf(column, head));
    next += made.byteLength;
    return made;
  });
}
