const ROWS_IN_PIECE = 250;

/**
 * A JTL file in pieces. Each row has a different label of 900 characters, so that few rows use much memory.
 */
export function* piecesOfLongLabels(rows: number): Generator<string> {
  const padding = "x".repeat(900);
  yield "timeStamp,elapsed,label,success,bytes\n";
  for (let from = 0; from < rows; from += ROWS_IN_PIECE) {
    const length = Math.min(ROWS_IN_PIECE, rows - from);
    const piece = Array.from(
      { length },
      (_, row) => `1700000000000,5,/${from + row}${padding},true,1\n`,
    );
    yield piece.join("");
  }
}
