/**
 * What facets add to the bytes and processor time of an import, and to a cold read of all labels. Pairs alternate, and ratios are medians over pairs:
 *
 *     node bench/facets.bench.ts [rows]
 */

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { jmeterCsv } from "../src/decode/jmeter/jmeter-csv.ts";
import { decodePoints } from "../src/import/decode-points.ts";
import { importResults } from "../src/import/import-results.ts";
import { ALL_SECONDS } from "../src/model/second-range.ts";
import { openSnapshot } from "../src/series/open-snapshot.ts";
import { listByLabel } from "../src/series/selected-series.ts";
import { openSqliteStore } from "../src/store/sqlite/store.ts";
import { blockBytes } from "./bytes/import-cost.ts";
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
  const scratch = mkdtempSync(path.join(tmpdir(), "tachograph-facets-"));
  try {
    const file = path.join(scratch, "store.sqlite");
    const store = await openSqliteStore(file, { now: Date.now });
    const request = {
      loadTest: { id: "run", name: "Run" },
      name: "file",
      chunks: oneByOne(pieces),
      decodeOptions: { timeZone: "UTC", facets: { areOff } },
    };
    const importMs = await processorMs(async () => {
      await importResults(request, { store, formats: [jmeterCsv], decodePoints, now: Date.now });
    });
    await store.close();
    const readMs = await processorMs(() => readAll(file));
    return { bytes: blockBytes(file), importMs, readMs };
  } finally {
    rmSync(scratch, { recursive: true });
  }
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

async function* oneByOne(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}
