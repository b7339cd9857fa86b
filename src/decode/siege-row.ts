/** What siege writes of one request. */
export interface SiegeRow {
  readonly protocol: string;
  readonly code: string;
  /** Seconds, with two decimals. */
  readonly elapsed: string;
  readonly bytes: string;
  readonly url: string;
  readonly urlId: string;
  /** When the answer was there: local time, whole seconds. */
  readonly endedAt: string;
}

/** Colours, where siege wrote to a terminal or was told to use them. */
const COLOUR = new RegExp(`${String.fromCodePoint(0x1b)}\\[[\\d;]*m`, "g");

/**
 * Stamp, mark and number of the user, each optional, then what is always there, padded with blanks.
 * A URL may hold commas, but no second row: two that ran into each other are none.
 */
const ROW =
  /^(?:(?!HTTP\/\d).)*(HTTP\/\d(?:\.\d)?),\s*(\d+),\s*(\d+\.\d+),\s*(\d+),((?:(?!HTTP\/\d(?:\.\d)?,).)*),\s*(\d+),\s*(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\s*$/u;

/** What belongs to rows, but is none: the beginning of one, or two that ran into each other. */
const PIECE = /HTTP\/\d(?:\.\d)?,|^\s*\[\w{3}, \d/;

/** The row that a line is; `undefined` where it is none. */
export function readSiegeRow(line: string): SiegeRow | undefined {
  const match = ROW.exec(line.replaceAll(COLOUR, ""));
  if (match === null) return undefined;
  const [, protocol = "", code = "", elapsed = "", bytes = "", url = "", urlId = "", endedAt = ""] =
    match;
  return { protocol, code, elapsed, bytes, url, urlId, endedAt };
}

/** Whether a line that is no row seems to be a piece of one, and not a word of siege's own. */
export function isPieceOfSiegeRow(line: string): boolean {
  return PIECE.test(line.replaceAll(COLOUR, ""));
}
