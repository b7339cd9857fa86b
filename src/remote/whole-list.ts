import { UserError } from "../model/errors.ts";

const END = "]".charCodeAt(0);

/**
 * Hands on the pieces of a JSON array. Throws `server-unreachable` after the last one where its end
 * is missing: not every proxy tells that what it hands on broke off.
 */
export async function* wholeList(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let last: number | undefined;
  for await (const piece of pieces) {
    if (piece.length === 0) continue;
    last = piece.at(-1);
    yield piece;
  }
  if (last === END) return;
  throw new UserError(
    "server-unreachable",
    "the answer of the server broke off: its end is missing",
  );
}
