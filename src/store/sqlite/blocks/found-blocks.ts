/** Finds the blocks of one snapshot that a response needs. */

import { type SecondRange, lowerBound } from "../../../model/columns.ts";
import type { Roles } from "../../stored-details.ts";
import type { BlockRow } from "./block-rows.ts";
import { groupOf } from "./encode-blocks.ts";
import { boundsOf, numbersIn, rolesOf, setHas, uniteSets } from "../../block/endpoint-set.ts";
import { LruCache } from "../../../concurrency/lru-cache.ts";

/** Up to this many endpoints, scanning all blocks is faster than an index; 100,000 scans of thousands of blocks take minutes. */
const SCANS_MAX = 64;

export interface FoundBlocks {
  /** Numbers of all endpoints with a point, a failure or a measure, ascending. Computed lazily. */
  numbers(): Uint32Array;
  /** Endpoint set of those that are not requests. */
  roles(): Roles;
  /** Returns the blocks that hold points of the endpoint and may have some in the range. */
  points(endpoint: number, range: SecondRange): readonly BlockRow[];
  /** Returns the blocks that hold points and may have some in the range. */
  allPoints(range: SecondRange): readonly BlockRow[];
  /** Returns the blocks that hold failures of the endpoint and may have some in the range. */
  failures(endpoint: number, range: SecondRange): readonly BlockRow[];
  /** Returns the blocks that may hold users in the range. */
  users(range: SecondRange): readonly BlockRow[];
  /** Returns the blocks of measures that may have some in the range. @default all */
  measures(range?: SecondRange): readonly BlockRow[];
  /** Returns those of one source. */
  ofSource(source: number): FoundBlocks;
}

export function findBlocks(rows: readonly BlockRow[]): FoundBlocks {
  const {
    points = [],
    failures = [],
    users = [],
    measures = [],
  } = Object.groupBy(rows, ({ kind }) => kind);
  const byGroup = Map.groupBy(points, (block) => block.endpoint_group);
  const mixedOf = blocksByEndpoint(byGroup.get(null) ?? []);
  const failuresOf = blocksByEndpoint(failures);
  const groupedOf = (endpoint: number): readonly BlockRow[] =>
    (byGroup.get(groupOf(endpoint)) ?? []).filter((row) => setHas(row.endpoints, endpoint));
  let numbers: Uint32Array | undefined;
  let roles: Roles | undefined;
  return {
    numbers() {
      // Many blocks share a set.
      numbers ??= numbersIn(uniteSets([...new Set(rows.map(({ endpoints }) => endpoints))]));
      return numbers;
    },
    roles() {
      roles ??= rolesOf([...points, ...failures, ...measures]);
      return roles;
    },
    points: (endpoint, range) =>
      [...groupedOf(endpoint), ...mixedOf(endpoint)].filter((row) => meets(row, range)),
    allPoints: (range) => points.filter((row) => meets(row, range)),
    failures: (endpoint, range) => failuresOf(endpoint).filter((row) => meets(row, range)),
    users: (range) => users.filter((row) => meets(row, range)),
    measures: (range) =>
      range === undefined ? measures : measures.filter((row) => meets(row, range)),
    ofSource: (source) => findBlocks(rows.filter((row) => row.source === source)),
  };
}

function meets({ first_second, last_second }: BlockRow, range: SecondRange): boolean {
  return first_second < range.until && last_second >= range.from;
}

/** Returns the blocks of an endpoint among those without a group, in the order of `rows`. Only tests set `scansMax`. */
export function blocksByEndpoint(
  rows: readonly BlockRow[],
  scansMax = SCANS_MAX,
): (endpoint: number) => readonly BlockRow[] {
  let scans = 0;
  let index: ReturnType<typeof indexOf> | undefined;
  return (endpoint) => {
    if (scans === scansMax) return (index ??= indexOf(rows))(endpoint);
    scans += 1;
    return rows.filter((row) => setHas(row.endpoints, endpoint));
  };
}

interface IndexedBlock {
  readonly row: BlockRow;
  /** Starts and ends of the ranges of its endpoints, alternating and ascending. */
  readonly bounds: Uint32Array;
}

/** Indexed by group, which stays small even if every block holds every endpoint. */
function indexOf(rows: readonly BlockRow[]): (endpoint: number) => readonly BlockRow[] {
  const byGroup = new Map<number, IndexedBlock[]>();
  for (const row of rows) {
    const block = { row, bounds: boundsOf(row.endpoints) };
    for (const group of groupsIn(block.bounds)) {
      const blocks = byGroup.get(group);
      if (blocks === undefined) byGroup.set(group, [block]);
      else blocks.push(block);
    }
  }
  return (endpoint) =>
    (byGroup.get(groupOf(endpoint)) ?? [])
      .filter(({ bounds }) => isWithin(bounds, endpoint))
      .map(({ row }) => row);
}

/** Returns the distinct groups of all endpoints within the bounds. */
function* groupsIn(bounds: Uint32Array): Generator<number> {
  let next = 0;
  for (let run = 0; run < bounds.length; run += 2) {
    const last = groupOf((bounds[run + 1] as number) - 1);
    for (next = Math.max(next, groupOf(bounds[run] as number)); next <= last; next++) yield next;
  }
}

/** The endpoint is inside a range if an odd number of bounds is at or before it. */
function isWithin(bounds: Uint32Array, endpoint: number): boolean {
  return lowerBound(bounds, endpoint + 1) % 2 === 1;
}

/** Of all cached lists; a block takes about 200 bytes. */
const BLOCKS_MAX = 256 * 1024;
/** Cost of a list without blocks: at most eight are cached. */
const LIST_BLOCKS = BLOCKS_MAX / 8;

interface ListedState {
  readonly loadTest: number;
  readonly revision: number;
  /** Number of visible blocks. */
  readonly blocks: number;
}

/** Cache of block lists by revision, which never change; listing thousands takes longer than one endpoint. */
export class BlockLists {
  readonly #cached = new LruCache<string, Promise<FoundBlocks>>(BLOCKS_MAX);

  /** Returns the cached result of `list` for a state of a load test, or calls it. Failures are not cached. */
  async get(
    { loadTest, revision, blocks }: ListedState,
    list: () => Promise<FoundBlocks>,
  ): Promise<FoundBlocks> {
    const name = `${loadTest} ${revision}`;
    const listed = this.#cached.get(name) ?? list();
    this.#cached.set(name, listed, LIST_BLOCKS + blocks);
    try {
      return await listed;
    } catch (error) {
      this.#cached.delete(name);
      throw error;
    }
  }
}
