import type { DatabaseSync } from "node:sqlite";

/**
 * Answers a number that changes whenever another connection has changed the file, of this process or
 * of another one; those of `reader` itself go unseen. To ask takes 2 µs.
 */
export function dataVersionOf(reader: DatabaseSync): () => unknown {
  const statement = reader.prepare("PRAGMA data_version");
  statement.setReturnArrays(true);
  return () => (statement.get() as unknown as [number])[0];
}
