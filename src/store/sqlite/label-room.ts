/** The limit of labels, held against what a load test will show: exact, within the write itself. */

import { noteLabels, requireRoom } from "../label-limit.ts";
import { endpointsIn, sizeOfSet, uniteSets } from "./endpoint-set.ts";
import type { SqliteFile } from "./file.ts";
import type { LoadTestRow } from "./load-test-rows.ts";

/** Endpoint sets: what is added to what is there. */
interface AddedEndpoints {
  readonly before: () => readonly Uint8Array[];
  readonly added: Uint8Array;
  /** Of both together. */
  readonly after: Uint8Array;
}

/** Answers how many labels there are afterwards. Throws `too-many-labels`. */
export function requireLabelRoom(
  { reading, labelLimit }: Pick<SqliteFile, "reading" | "labelLimit">,
  { number: loadTest, id }: Pick<LoadTestRow, "number" | "id">,
  { before, added, after }: AddedEndpoints,
): number {
  const count = sizeOfSet(after);
  if (count <= labelLimit.max) return count;
  reading.endpoints.catchUp(loadTest);
  const others = new Set(endpointsIn(uniteSets(before())));
  const further = new Set(endpointsIn(added).filter((number) => !others.has(number)));
  const labels = [...reading.endpoints.known(loadTest)]
    .filter(([, number]) => further.has(number))
    .map(([label]) => label);
  requireRoom(labelLimit, id, { others: others.size, added: labels });
  return count;
}

/** The same for what readers see, and tells of a load test that comes near its limit. */
export function showLabels(file: SqliteFile, row: LoadTestRow, endpoints: AddedEndpoints): number {
  const after = requireLabelRoom(file, row, endpoints);
  noteLabels(file.labelLimit, row.id, { before: row.endpoints, after });
  return after;
}
