/** Measures as bytes: for digests and for the network. */

import type { MeasureSeries, MeasureTable, UnstoredValues } from "./measure-table.ts";

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

type Columns = Pick<MeasureTable, "sums" | "gauges" | "histograms">;

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
  for (const [name, part] of Object.entries(columns)) {
    const own = table[name as keyof Columns] as unknown as Record<string, Uint32Array>;
    for (const [column, target] of Object.entries(part)) target.set(own[column]);
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

function aligned(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT;
}

function columnBytes({ sums, gauges, histograms, entries }: Head): number {
  return 32 * sums + 36 * gauges + 28 * histograms + 4 + 10 * entries;
}

/** In byte order: widest first. */
function columnsAt(buffer: ArrayBuffer, at: number, head: Head): Columns {
  let next = at;
  const place = (count: number, width: number): [ArrayBuffer, number, number] => {
    const from = next;
    next += count * width;
    return [buffer, from, count];
  };
  const doubles = (count: number): Float64Array => new Float64Array(...place(count, 8));
  const words = (count: number): Uint32Array => new Uint32Array(...place(count, 4));
  const { sums, gauges, histograms, entries } = head;
  const ofSums = {
    count: doubles(sums),
    sumMillions: doubles(sums),
    sumNanos: doubles(sums),
  };
  const ofGauges = { min: doubles(gauges), max: doubles(gauges), last: doubles(gauges) };
  const ofHistograms = {
    min: doubles(histograms),
    max: doubles(histograms),
    bucketCount: doubles(entries),
  };
  return {
    sums: { ...ofSums, series: words(sums), second: words(sums) },
    gauges: {
      ...ofGauges,
      series: words(gauges),
      second: words(gauges),
      lastAtMillis: words(gauges),
    },
    histograms: {
      ...ofHistograms,
      series: words(histograms),
      minute: words(histograms),
      bucketsFrom: words(histograms + 1),
      bucket: new Uint16Array(...place(entries, 2)),
    },
  };
}
