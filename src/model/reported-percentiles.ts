/**
 * Percentiles that a load tool computed itself. They are kept as given and never merged: a percentile
 * of several windows, sources or endpoints cannot be worked out of theirs.
 */

/** Row i of every column is one percentile, sorted by `compareReported`, none twice. */
export interface ReportedPercentiles {
  /** Index into the table of labels that the rows travel with, plus 1; 0: all requests together. */
  readonly endpoint: Uint32Array;
  /** UNIX second at which the window begins; 0: the whole run. */
  readonly second: Uint32Array;
  /** Length of the window; 0: the whole run. */
  readonly windowSeconds: Uint16Array;
  /** In millionths: 950,000 is the 95th percentile, 0 the minimum, 1,000,000 the maximum. */
  readonly quantile: Uint32Array;
  readonly micros: Float64Array;
}

export const NO_PERCENTILES: ReportedPercentiles = {
  endpoint: new Uint32Array(0),
  second: new Uint32Array(0),
  windowSeconds: new Uint16Array(0),
  quantile: new Uint32Array(0),
  micros: new Float64Array(0),
};

/** What a tool says of one window, or of the whole run. */
export interface ReportedWindow {
  /** Index of the label in the decoder's `labels`; `undefined`: all requests together. */
  readonly label: number | undefined;
  /** `undefined`: the whole run. */
  readonly window: { readonly second: number; readonly windowSeconds: number } | undefined;
  /** Pairs of a quantile (0 to 1) and microseconds. */
  readonly percentiles: readonly (readonly [quantile: number, micros: number])[];
}

const MILLIONTHS = 1_000_000;

/** A quantile of 0 to 1 as it stands in the column. */
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

/** The rows of all parts. Of rows with the same keys the larger value stays. */
export function uniteReported(parts: readonly ReportedPercentiles[]): ReportedPercentiles {
  const [only, another] = parts;
  if (only !== undefined && another === undefined) return only;
  return columnsOf(parts.flatMap(rowsOf));
}

/** A row of the columns. */
export interface ReportedRow {
  readonly endpoint: number;
  readonly second: number;
  readonly windowSeconds: number;
  readonly quantile: number;
  readonly micros: number;
}

export function rowsOf(reported: ReportedPercentiles): ReportedRow[] {
  return Array.from(reported.second, (second, row) => ({
    endpoint: reported.endpoint[row] as number,
    second,
    windowSeconds: reported.windowSeconds[row] as number,
    quantile: reported.quantile[row] as number,
    micros: reported.micros[row] as number,
  }));
}

/** The columns of these rows, in order. Of rows with the same keys the larger value stays. */
export function columnsOf(unsorted: readonly ReportedRow[]): ReportedPercentiles {
  const sorted = unsorted.toSorted(
    (left, right) => compareKeys(left, right) || right.micros - left.micros,
  );
  const rows = sorted.filter(
    (row, at) => at === 0 || compareKeys(sorted[at - 1] as ReportedRow, row) !== 0,
  );
  return {
    endpoint: Uint32Array.from(rows, ({ endpoint }) => endpoint),
    second: Uint32Array.from(rows, ({ second }) => second),
    windowSeconds: Uint16Array.from(rows, ({ windowSeconds }) => windowSeconds),
    quantile: Uint32Array.from(rows, ({ quantile }) => quantile),
    micros: Float64Array.from(rows, ({ micros }) => micros),
  };
}

function compareKeys(left: ReportedRow, right: ReportedRow): number {
  return (
    left.endpoint - right.endpoint ||
    left.windowSeconds - right.windowSeconds ||
    left.second - right.second ||
    left.quantile - right.quantile
  );
}

/** The labels of the rows, as indexes into their table. */
export function labelsOfReported({ endpoint }: ReportedPercentiles): Uint32Array {
  return endpoint.filter((label) => label > 0).map((label) => label - 1);
}

/** The same rows with other endpoints: `numberOf` gets the index of a label; without a number the row goes. */
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

/** Bytes of a row, its columns one behind the other. */
const ROW_BYTES = 22;

/** The columns as bytes: micros, endpoint, second, quantile, windowSeconds. */
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

/** `undefined` where the length is none of whole rows. */
export function decodeReported(bytes: Uint8Array): ReportedPercentiles | undefined {
  const rows = bytes.length / ROW_BYTES;
  if (!Number.isInteger(rows)) return undefined;
  // Columns want aligned memory.
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
