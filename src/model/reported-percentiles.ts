/** Percentiles that a load tool computed. Stored as given and never merged, as percentiles cannot be combined. */

/** Rows sorted by `compareReported`, unique. */
export interface ReportedPercentiles {
  /** Index into the labels plus 1; 0: all requests. */
  readonly endpoint: Uint32Array;
  /** UNIX second of the start of the window; 0: the whole run. */
  readonly second: Uint32Array;
  /** 0: the whole run. */
  readonly windowSeconds: Uint16Array;
  /** In millionths: 950,000 is p95, 0 the minimum, 1,000,000 the maximum. */
  readonly quantile: Uint32Array;
  readonly micros: Float64Array;
}

export interface ReportedWindow {
  /** Index into the decoder's `labels`; `undefined`: all requests. */
  readonly label: number | undefined;
  /** `undefined`: the whole run. */
  readonly window: { readonly second: number; readonly windowSeconds: number } | undefined;
  /** Pairs of a quantile (0 to 1) and microseconds. */
  readonly percentiles: readonly (readonly [quantile: number, micros: number])[];
}

const MILLIONTHS = 1_000_000;

export function millionths(quantile: number): number {
  return Math.round(quantile * MILLIONTHS);
}

export function reportedPercentiles(windows: readonly ReportedWindow[]): ReportedPercentiles {
  const rows = windows.flatMap(({ label, window, percentiles }) =>
    percentiles.map(([quantile, micros]) => ({
      endpoint: label === undefined ? 0 : label + 1,
      second: window?.second ?? 0,
      windowSeconds: window?.windowSeconds ?? 0,
      quantile: millionths(quantile),
      micros,
    })),
  );
  return columnsOf(rows);
}

export function uniteReported(parts: readonly ReportedPercentiles[]): ReportedPercentiles {
  const [only, another] = parts;
  if (only !== undefined && another === undefined) return only;
  return columnsOf(parts.flatMap(rowsOf));
}

export type ReportedRow = Readonly<Record<keyof ReportedPercentiles, number>>;

export function rowsOf(reported: ReportedPercentiles): ReportedRow[] {
  return Array.from(reported.second, (second, row) => ({
    endpoint: reported.endpoint[row] as number,
    second,
    windowSeconds: reported.windowSeconds[row] as number,
    quantile: reported.quantile[row] as number,
    micros: reported.micros[row] as number,
  }));
}

/** Sorts the rows. Leaves out those with equal keys and other values: of two load generators, whose percentiles cannot be merged. */
export function columnsOf(unsorted: readonly ReportedRow[]): ReportedPercentiles {
  const sorted = unsorted.toSorted(compareKeys);
  const rows: ReportedRow[] = [];
  for (let at = 0, next = 0; at < sorted.length; at = next) {
    const row = sorted[at] as ReportedRow;
    let isSame = true;
    for (next = at; next < sorted.length; next++) {
      const other = sorted[next] as ReportedRow;
      if (compareKeys(row, other) !== 0) break;
      isSame &&= other.micros === row.micros;
    }
    if (isSame) rows.push(row);
  }
  return {
    endpoint: Uint32Array.from(rows, ({ endpoint }) => endpoint),
    second: Uint32Array.from(rows, ({ second }) => second),
    windowSeconds: Uint16Array.from(rows, ({ windowSeconds }) => windowSeconds),
    quantile: Uint32Array.from(rows, ({ quantile }) => quantile),
    micros: Float64Array.from(rows, ({ micros }) => micros),
  };
}

export const NO_PERCENTILES = columnsOf([]);

function compareKeys(left: ReportedRow, right: ReportedRow): number {
  return (
    left.endpoint - right.endpoint ||
    left.windowSeconds - right.windowSeconds ||
    left.second - right.second ||
    left.quantile - right.quantile
  );
}

export function labelsOfReported({ endpoint }: ReportedPercentiles): Uint32Array {
  return endpoint.filter((label) => label > 0).map((label) => label - 1);
}

/** Maps label indexes by `numberOf`; rows without a number are dropped. */
export function renumberReported(
  reported: ReportedPercentiles,
  numberOf: (label: number) => number | undefined,
): ReportedPercentiles {
  return columnsOf(
    rowsOf(reported).flatMap((row) => {
      if (row.endpoint === 0) return [row];
      const number = numberOf(row.endpoint - 1);
      return number === undefined ? [] : [{ ...row, endpoint: number + 1 }];
    }),
  );
}

const ROW_BYTES = 22;

/** Columns in the order micros, endpoint, second, quantile, windowSeconds. */
export function encodeReported(reported: ReportedPercentiles): Uint8Array {
  const rows = reported.second.length;
  const bytes = new Uint8Array(rows * ROW_BYTES);
  let at = 0;
  for (const { buffer, byteOffset, byteLength } of inOrder(reported)) {
    bytes.set(new Uint8Array(buffer, byteOffset, byteLength), at);
    at += byteLength;
  }
  return bytes;
}

/** `undefined` if the length is no multiple of a row. */
export function decodeReported(bytes: Uint8Array): ReportedPercentiles | undefined {
  const rows = bytes.length / ROW_BYTES;
  if (!Number.isInteger(rows)) return undefined;
  // Columns need aligned memory.
  const { buffer } = new Uint8Array(bytes);
  const from = (bytesBefore: number) => rows * bytesBefore;
  return {
    micros: new Float64Array(buffer, 0, rows),
    endpoint: new Uint32Array(buffer, from(8), rows),
    second: new Uint32Array(buffer, from(12), rows),
    quantile: new Uint32Array(buffer, from(16), rows),
    windowSeconds: new Uint16Array(buffer, from(20), rows),
  };
}

function inOrder({ micros, endpoint, second, quantile, windowSeconds }: ReportedPercentiles) {
  return [micros, endpoint, second, quantile, windowSeconds];
}
