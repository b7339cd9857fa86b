/** The blocks of one snapshot, found by what an answer needs. */

import type { SecondRange } from "../../model/second-range.ts";
import type { BlockRow } from "./block-rows.ts";
import { blocksByEndpoint } from "./blocks-by-endpoint.ts";
import { groupOf } from "./encode-blocks.ts";
import type { Roles } from "../stored-roles.ts";
import { endpointsIn, numbersIn, setHas, uniteSets } from "./endpoint-set.ts";
import { rolesOf } from "./role-sets.ts";

export interface FoundBlocks {
  /** Numbers of all endpoints with a point or a failure, ascending; found when first asked for. */
  endpoints(): ReadonlySet<number>;
  /** The same as a column, which takes a tenth of the memory. */
  numbers(): Uint32Array;
  /** Which of them are no requests. */
  roles(): Roles;
  /** The blocks that hold points of the endpoint, and perhaps some in the range. */
  points(endpoint: number, range: SecondRange): readonly BlockRow[];
  /** The blocks that hold points of any endpoint, and perhaps some in the range. */
  allPoints(range: SecondRange): readonly BlockRow[];
  /** The same for its failures. */
  failures(endpoint: number, range: SecondRange): readonly BlockRow[];
  /** The blocks that may hold users in the range. */
  users(range: SecondRange): readonly BlockRow[];
  /** Those of them that one source has. */
  ofSource(source: number): FoundBlocks;
}

export function findBlocks(rows: readonly BlockRow[]): FoundBlocks {
  const { points = [], failures = [], users = [] } = Object.groupBy(rows, ({ kind }) => kind);
  const byGroup = Map.groupBy(points, (block) => block.endpoint_group);
  const mixedOf = blocksByEndpoint(byGroup.get(null) ?? []);
  const failuresOf = blocksByEndpoint(failures);
  const groupedOf = (endpoint: number): readonly BlockRow[] =>
    (byGroup.get(groupOf(endpoint)) ?? []).filter((row) => setHas(row.endpoints, endpoint));
  let numbers: ReadonlySet<number> | undefined;
  let column: Uint32Array | undefined;
  let roles: Roles | undefined;
  return {
    endpoints() {
      numbers ??= new Set(endpointsIn(uniteSets(rows.map(({ endpoints }) => endpoints))));
      return numbers;
    },
    numbers() {
      column ??= numbersIn(uniteSets(rows.map(({ endpoints }) => endpoints)));
      return column;
    },
    roles() {
      roles ??= rolesOf([...points, ...failures]);
      return roles;
    },
    points: (endpoint, range) =>
      [...groupedOf(endpoint), ...mixedOf(endpoint)].filter((row) => meets(row, range)),
    allPoints: (range) => points.filter((row) => meets(row, range)),
    failures: (endpoint, range) => failuresOf(endpoint).filter((row) => meets(row, range)),
    users: (range) => users.filter((row) => meets(row, range)),
    ofSource: (source) => findBlocks(rows.filter((row) => row.source === source)),
  };
}

function meets({ first_second, last_second }: BlockRow, range: SecondRange): boolean {
  return first_second < range.until && last_second >= range.from;
}
