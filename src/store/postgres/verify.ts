import type { Damage } from "../store.ts";
import { describeDamage } from "../sqlite/blocks/attempt-block.ts";
import { isIntact, type Segments } from "../sqlite/blocks/block-rows.ts";
import { numbersIn } from "../block/endpoint-set.ts";
import { addTallies, EMPTY_TALLY } from "../sqlite/catalogue/tally.ts";
import { scopeOf } from "../sqlite/catalogue/load-test-rows.ts";
import {
  damageIn,
  damageOf,
  type NamedRow,
  requireCounted,
  requireDescribed,
  wrong,
} from "../sqlite/verify.ts";
import { readSegments } from "../sqlite/blocks/segment-cache.ts";
import { BLOCK_COLUMNS, blockOf } from "./block-table.ts";
import { IS_LOAD_TEST, keyOf, LOAD_TEST, loadTestIn } from "./load-test-table.ts";
import { ENVIRONMENT_OF_HOUR } from "./schema.ts";
import type { Snapshots } from "./snapshots.ts";
import { bytesIn, IS_VISIBLE, SOURCE_COLUMNS, sourceOf } from "./source-rows.ts";
import type { PostgresParts } from "./writes.ts";

const BLOCKS_AT_ONCE = 64;

/** Reads every load test and block back. What the database itself stores, its own checksums protect. */
export async function* verifyDatabase(
  { database, labels }: PostgresParts,
  snapshots: Snapshots,
): AsyncGenerator<Damage> {
  const all = (await database.read(
    `SELECT number, project, ${ENVIRONMENT_OF_HOUR} AS environment, id FROM load_tests
     ORDER BY number`,
  )) as unknown as readonly NamedRow[];
  const byNumber = new Map(all.map((found) => [found.number, found]));
  for (const found of all) {
    const key = { scope: scopeOf(found), id: found.id };
    const message = await damageOf(async () => {
      const snapshot = await snapshots.open(key);
      await snapshot?.index();
      const [row] = await database.read(
        `SELECT ${LOAD_TEST} FROM load_tests WHERE ${IS_LOAD_TEST}`,
        keyOf(key),
      );
      const sources = await database.read(
        `SELECT ${SOURCE_COLUMNS} FROM sources WHERE load_test = $1 AND ${IS_VISIBLE}`,
        [found.number],
      );
      const tallies = sources.map((source) => sourceOf(source).tally);
      const tally = addTallies([EMPTY_TALLY, ...tallies]);
      const stored = row && loadTestIn(row).row;
      if (stored !== undefined) requireCounted(found.id, stored, tally);
    });
    if (message !== undefined) yield damageIn(found, message);
  }
  let [loadTest, number] = [0, 0];
  for (;;) {
    const rows = await database.read(
      `SELECT ${BLOCK_COLUMNS}, plain, distribution FROM blocks
       WHERE (load_test, number) > ($1, $2) AND shown_until IS NULL
       ORDER BY load_test, number LIMIT ${BLOCKS_AT_ONCE}`,
      [loadTest, number],
    );
    for (const { plain, distribution, ...block } of rows) {
      const row = blockOf(block);
      [loadTest, number] = [row.load_test, row.number];
      const segments: Segments = {
        plain: bytesIn(plain),
        ...(distribution === null ? {} : { distribution: bytesIn(distribution) }),
      };
      const found = byNumber.get(row.load_test);
      const known = labels.known(row.load_test);
      await labels.catchUp(row.load_test);
      const message = await damageOf(() => {
        try {
          if (!isIntact(row)) throw wrong("its row does not match its checksum");
          requireDescribed(row, readSegments({ segment: (kind) => segments[kind] }, row));
        } catch (error) {
          const names = Array.from(
            numbersIn(row.endpoints),
            (each) => known.labels[each] ?? `number ${each}`,
          );
          throw describeDamage(error, { id: found?.id ?? "(deleted)" }, names, row);
        }
      });
      if (message !== undefined) yield damageIn(found, message);
    }
    if (rows.length < BLOCKS_AT_ONCE) return;
  }
}
