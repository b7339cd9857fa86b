import { Mutex } from "../../../concurrency/mutex.ts";
import { Yielder } from "../../../concurrency/yielder.ts";
import { UserError } from "../../../model/errors.ts";
import { compareLabels } from "../../../model/label.ts";
import type { ScannedDetail, EndpointIndex } from "../../snapshot.ts";
import type { Endpoint, LoadTest } from "../../../model/load-test.ts";
import { choiceIn, type DerivedRole, derivedRole } from "../../../model/role.ts";
import { NumberSet, numbersWhere } from "../../../model/row-groups.ts";
import type { SecondRange } from "../../../model/columns.ts";
import { type Roles, shownEndpoints } from "../../stored-details.ts";
import type { SqliteFile } from "../file.ts";
import type { FoundBlocks } from "../blocks/found-blocks.ts";
import type { LabelSearch } from "./label-search.ts";
import type { LoadTestRow } from "../catalogue/load-test-rows.ts";
import { scanPoints } from "../blocks/scan-blocks.ts";

/** Batch size of `byLabel`: some tens of milliseconds, and little memory. */
const NAMED_AT_ONCE = 1024;
/** Up to this many endpoints are loaded before they are sorted; more are taken from the order of all labels. */
const SORTED_MAX = 16_384;

interface IndexSource {
  readonly file: SqliteFile;
  readonly labels: LabelSearch;
  readonly row: LoadTestRow;
  readonly loadTest: LoadTest;
}

/** One scan at a time: each holds some tens of megabytes, and all share a processor. */
const scans = new Mutex();

/** Keyed by block list, which is fixed for a load test at one revision. */
const opened = new WeakMap<FoundBlocks, Promise<EndpointIndex>>();

/** Returns the index of endpoints whose labels stay in the file; the same object for the same blocks. */
export function openLargeIndex(source: IndexSource, found: FoundBlocks): Promise<EndpointIndex> {
  const index = opened.get(found) ?? buildIndex(source, found);
  opened.set(found, index);
  return index;
}

async function buildIndex(
  { file, labels, row, loadTest }: IndexSource,
  found: FoundBlocks,
): Promise<EndpointIndex> {
  const yielder = new Yielder();
  const stored = found.numbers();
  await yielder.pass();
  const roles = found.roles();
  const isShown = (number: number): boolean => choiceIn(roles.get(number)) === undefined;
  const numbers = roles.size === 0 ? stored : numbersWhere(stored, isShown);
  await yielder.pass();
  const end = (numbers.at(-1) ?? -1) + 1;
  const visible = numbers.length === end ? undefined : new NumberSet(numbers);
  const visibleOf = (some: Uint32Array): Uint32Array =>
    visible === undefined ? some : numbersWhere(some, (number) => visible.has(number));

  async function named(wanted: Uint32Array): Promise<readonly Endpoint[]> {
    const endpoints = await labels.named(row.number, wanted);
    if (endpoints.length === wanted.length) return shownEndpoints(endpoints, roles);
    const why = `${wanted.length - endpoints.length} labels are missing`;
    throw new UserError("damaged-store", `cannot read load test "${loadTest.id}": ${why}`);
  }

  return {
    isLarge: true,
    numbers,
    roles: derivedRoles(roles),
    containing: async (text) => visibleOf(await labels.containing(row.number, end, text)),
    hashed: async (hashes) => visibleOf(await labels.hashed(row.number, end, hashes)),
    named,
    async first(wanted, limit, order) {
      const endpoints = await labels.first(row.number, wanted, { limit, order });
      return shownEndpoints(endpoints, roles);
    },
    async *byLabel(wanted) {
      if (wanted.length <= SORTED_MAX) {
        const endpoints = await named(wanted);
        yield endpoints.toSorted((one, other) => compareLabels(one.label, other.label));
        return;
      }
      const set = new NumberSet(wanted);
      const all = await labels.inOrder(row.number, end);
      const ordered = numbersWhere(all, (number) => set.has(number));
      for (let at = 0; at < ordered.length; at += NAMED_AT_ONCE) {
        yield await named(ordered.subarray(at, at + NAMED_AT_ONCE));
      }
    },
    async *scan(wanted: Uint32Array, range: SecondRange, detail: ScannedDetail) {
      const rows = found.allPoints(range);
      const set = wanted.length === stored.length ? undefined : new NumberSet(wanted);
      const isWanted = set && ((number: number) => set.has(number));
      const scanned = { file, loadTest, rows, isWanted, range };
      const endScan = await scans.acquire();
      try {
        // The type of `scan` depends on `detail`, which one implementation cannot express.
        yield* scanPoints(scanned, detail) as AsyncIterable<never>;
      } finally {
        endScan();
      }
    },
  };
}

function derivedRoles(roles: Roles): ReadonlyMap<number, DerivedRole> {
  const derived = new Map<number, DerivedRole>();
  for (const [number, stored] of roles) {
    const role = derivedRole(stored);
    if (role !== undefined) derived.set(number, role);
  }
  return derived;
}
