/**
 * What facets add to the bytes and processor time of an import, and to a cold read of all labels. Pairs alternate, and ratios are medians over pairs:
 *
 *     node bench/facets.bench.ts [rows]
 */

import { jmeterCsv } from "../src/decode/jmeter/jmeter-csv.ts";
import { ALL_SECONDS } from "../src/model/columns.ts";
import { openSnapshot } from "../src/series/open-snapshot.ts";
import { listByLabel } from "../src/series/selected-series.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import { importCost } from "./bytes/import-cost.ts";
import { median } from "./frame/statistics.ts";
import { jtlPieces } from "./make-jtl.ts";

const ROUNDS = 5;
const GROUPS = [1, 4, 16, 64];

const rows = Number(process.argv[2] ?? 1_500_000);

for (const groups of GROUPS) {
  const pieces = [...jtlPieces({ rows, groups })].map((piece) => Buffer.from(piece));
  const ratios: [bytes: number, importing: number, reading: number][] = [];
  for (let round = 0; round <= ROUNDS; round++) {
    const without = await costOf(pieces, true);
    const facets = await costOf(pieces, false);
    // The first warms up.
    if (round === 0) continue;
    ratios.push([
      facets.bytes / without.bytes,
      facets.importMs / without.importMs,
      facets.readMs / without.readMs,
    ]);
  }
  const [bytes, importing, reading] = [0, 1, 2].map((figure) =>
    median(ratios.map((each) => each[figure] as number)).toFixed(3),
  );
  console.log(
    `${groups} thread groups: bytes x ${bytes}, import x ${importing}, cold read x ${reading}`,
  );
}

async function costOf(pieces: readonly Uint8Array[], areOff: boolean) {
  let readMs = 0;
  const { bytes, processorMs: importMs } = await importCost(jmeterCsv, pieces, {
    facets: { areOff },
    use: async (file) => {
      readMs = await processorMs(() => readAll(file));
    },
  });
  return { bytes, importMs, readMs };
}

async function readAll(file: string): Promise<void> {
  const store = await openSqliteStore(file, { now: Date.now });
  const snapshot = await openSnapshot(store.points, "run");
  const index = await snapshot.index();
  const endpoints = await listByLabel(index, index.numbers);
  let requests = 0;
  for await (const { columns } of snapshot.read(endpoints, ALL_SECONDS, "distribution")) {
    for (const each of columns.requests) requests += each;
  }
  if (requests !== rows) throw new Error(`read ${requests} of ${rows} requests`);
  snapshot.release();
  await store.close();
}

async function processorMs(work: () => Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
