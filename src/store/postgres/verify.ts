import type { Damage } from "../store.ts";
import { describeDamage } from "../sqlite/blocks/attempt-block.ts";
import { isIntact, type Segments } from "../sqlite/blocks/block-rows.ts";
import { numbersIn } from "../block/endpoint-set.ts";
import { addTallies, EMPTY_TALLY } from "../sqlite/catalogue/tally.ts";
import { damageOf, requireCounted, requireDescribed, wrong } from "../sqlite/verify.ts";
import { readSegments } from "../sqlite/blocks/segment-cache.ts";
import { BLOCK_COLUMNS, blockOf } from "./block-table.ts";
import { loadTestIn } from "./load-test-table.ts";
import type { Snapshots } from "./snapshots.ts";
import { bytesIn, IS_VISIBLE, SOURCE_COLUMNS, sourceOf } from "./source-rows.ts";
import type { PostgresParts } from "./writes.ts";

const BLOCKS_AT_ONCE = 64;

/** Reads every load test and block back. What the database itself stores, its own checksums protect. */
export async function* verifyDatabase(
  { database, labels }: PostgresParts,
  snapshots: Snapshots,
): AsyncGenerator<Damage> {
  const all = await database.read("SELECT number, id, row, state FROM load_tests ORDER BY number");
  const ids = new Map<number, string>();
  for (const found of all) {
    const id = String(found["id"]);
    ids.set(Number(found["number"]), id);
    const message = await damageOf(async () => {
      const snapshot = await snapshots.open(id);
      await snapshot?.index();
      const [row] = await database.read("SELECT row, state FROM load_tests WHERE id = $1", [id]);
      const sources = await database.read(
        `SELECT ${SOURCE_COLUMNS} FROM sources WHERE load_test = $1 AND ${IS_VISIBLE}`,
        [Number(found["number"])],
      );
      const tallies = sources.map((source) => sourceOf(source).tally);
      const tally = addTallies([EMPTY_TALLY, ...tallies]);
      const stored = row && loadTestIn(row).row;
      if (stored !== undefined) requireCounted(id, stored, tally);
    });
    if (message !== undefined) yield { loadTestId: id, message };
  }
  let [loadTest, number] = [0, 0];
  for (;;) {
    const rows = await database.read(
      `SELECT ${BLOCK_COLUMNS}, plain, distribution FROM blocks
       WHERE (load_test, number) > ($1, $2) AND shown_until IS NULL
       ORDER BY load_test, number LIMIT ${BLOCKS_AT_ONCE}`,
      [loadTest, number],
    );
    for (const { plain, distribution, ...found } of rows) {
      const row = blockOf(found);
      [loadTest, number] = [row.load_test, row.number];
      const segments: Segments = {
        plain: bytesIn(plain),
        ...(distribution === null ? {} : { distribution: bytesIn(distribution) }),
      };
      const id = ids.get(row.load_test);
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
          throw describeDamage(error, { id: id ?? "(deleted)" }, names, row);
        }
      });
      if (message !== undefined) yield { loadTestId: id, message };
    }
    if (rows.length < BLOCKS_AT_ONCE) return;
  }
}
