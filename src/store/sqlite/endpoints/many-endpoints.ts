/** Very many endpoints of a snapshot, read without a list of them. */

import { Mutex } from "../../../concurrency/mutex.ts";
import { UserError } from "../../../model/errors.ts";
import type { Endpoint, LoadTest } from "../../../model/load-test.ts";
import { type DerivedRole, derivedRole } from "../../../model/role.ts";
import { NumberSet, numbersWhere } from "../../../model/number-set.ts";
import type { SecondRange } from "../../../model/second-range.ts";
import { endpointOf, type Roles } from "../../stored-roles.ts";
import type { SqliteFile } from "../file.ts";
import type { FoundBlocks } from "../blocks/found-blocks.ts";
import type { LabelSearch } from "./label-search.ts";
import type { LoadTestRow } from "../catalogue/load-test-rows.ts";
import { scanPoints, scanSums } from "../blocks/scan-blocks.ts";
import { Turns } from "../file/turns.ts";
import type { ManyEndpoints } from "../../snapshot.ts";

interface ManyPlace {
  readonly file: SqliteFile;
  readonly labels: LabelSearch;
  readonly row: LoadTestRow;
  readonly loadTest: LoadTest;
}

/** One after the other: each holds some tens of megabytes, and all of them share a processor. */
const scans = new Mutex();

/** By the blocks that they were found in: those of a load test at one revision stay the same. */
const opened = new WeakMap<FoundBlocks, Promise<ManyEndpoints | undefined>>();

/** See `Snapshot.many`: the same one as long as the blocks are. */
export async function openMany(
  place: ManyPlace,
  blocks: () => Promise<FoundBlocks>,
): Promise<ManyEndpoints | undefined> {
  const found = await blocks();
  const known = opened.get(found) ?? findMany(place, found);
  opened.set(found, known);
  return known;
}

async function findMany(
  { file, labels, row, loadTest }: ManyPlace,
  found: FoundBlocks,
): Promise<ManyEndpoints | undefined> {
  const turns = new Turns();
  const numbers = found.numbers();
  if (numbers.length <= file.listedMax) return undefined;
  await turns.pass();
  const roles = found.roles();
  await turns.pass();
  const end = (numbers.at(-1) ?? -1) + 1;
  const visible = numbers.length === end ? undefined : new NumberSet(numbers);
  const visibleOf = (some: Uint32Array): Uint32Array =>
    visible === undefined ? some : numbersWhere(some, (number) => visible.has(number));

  async function named(wanted: readonly number[]): Promise<readonly Endpoint[]> {
    const endpoints = await labels.named(row.number, wanted);
    if (endpoints.length === wanted.length) return endpoints.map((each) => endpointOf(each, roles));
    const why = `${wanted.length - endpoints.length} labels are missing`;
    throw new UserError("damaged-store", `cannot read load test "${loadTest.id}": ${why}`);
  }

  return {
    numbers,
    roles: derivedRoles(roles),
    containing: async (text) => visibleOf(await labels.containing(row.number, end, text)),
    hashed: async (hashes) => visibleOf(await labels.hashed(row.number, end, hashes)),
    named,
    async first(wanted, limit, order) {
      const endpoints = await labels.first(row.number, wanted, { limit, order });
      return endpoints.map((each) => endpointOf(each, roles));
    },
    byLabel: async () =>
      visibleOf(numbersWhere(await labels.inOrder(row.number, end), (number) => number < end)),
    async *scan(wanted: Uint32Array, range: SecondRange, detail: "sums" | "distribution") {
      const rows = found.allPoints(range);
      const set = wanted.length === numbers.length ? undefined : new NumberSet(wanted);
      const isWanted = set && ((number: number) => set.has(number));
      const scanned = { file, loadTest, rows, isWanted, range };
      const endScan = await scans.acquire();
      try {
        // The overloads of `scan` promise what `detail` chooses; one body cannot say so in types.
        yield* (
          detail === "sums" ? scanSums(scanned) : scanPoints(scanned)
        ) as AsyncIterable<never>;
      } finally {
        endScan();
      }
    },
  };
}

function derivedRoles(roles: Roles): ReadonlyMap<number, DerivedRole> {
  const derived = new Map<number, DerivedRole>();
  for (const [number, told] of roles) {
    const role = derivedRole(told);
    if (role !== undefined) derived.set(number, role);
  }
  return derived;
}
