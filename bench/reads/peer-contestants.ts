/** Contestants that keep rows of the dense load test in a database and answer with `csv` alone. */

import { mkdirSync } from "node:fs";
import path from "node:path";
import type { BenchContext } from "../frame/scenario.ts";
import { foundPeer } from "../peers/peer.ts";
import { chdb, duckdb } from "../peers/peers.ts";
import { startClickHouse } from "../servers/clickhouse.ts";
import { CREATE_BASE, CREATE_POINTS, csvQuestion, fillPoints } from "./clickhouse-sql.ts";
import type { Contestant } from "./contestant.ts";
import { cellsOfLines } from "./csv-shape.ts";
import { scriptContestant } from "./local-contestants.ts";
import { PEER_LOAD_TESTS, textFile } from "./rows-file.ts";

const SHAPE = { formats: ["csv"], cells: cellsOfLines } as const;

export async function duckDbContestant({ dataFolder }: BenchContext): Promise<Contestant> {
  const script = path.join(import.meta.dirname, "duckdb-child.ts");
  const words = [script, foundPeer(duckdb).path, textFile(dataFolder), String(PEER_LOAD_TESTS)];
  return await scriptContestant("DuckDB", words, SHAPE);
}

export async function chdbContestant(context: BenchContext): Promise<Contestant> {
  const folder = path.join(context.scratch, "chdb");
  mkdirSync(folder);
  const script = path.join(import.meta.dirname, "chdb-child.ts");
  const rows = textFile(context.dataFolder);
  const words = [script, foundPeer(chdb).path, folder, rows, String(PEER_LOAD_TESTS)];
  return await scriptContestant("ClickHouse 26", words, SHAPE);
}

export async function clickHouseContestant(context: BenchContext): Promise<Contestant> {
  const { port, run, stop } = await startClickHouse(path.join(context.scratch, "clickhouse"));
  await run(CREATE_BASE);
  await run("INSERT INTO base FORMAT TabSeparated", textFile(context.dataFolder));
  for (const statement of [CREATE_POINTS, ...fillPoints(PEER_LOAD_TESTS)]) await run(statement);
  return {
    ...SHAPE,
    name: "ClickHouse 18.16",
    loadTests: PEER_LOAD_TESTS,
    question(loadTest) {
      const sql = `${csvQuestion(loadTest)} FORMAT TabSeparatedRaw`;
      return { port, path: `/?query=${encodeURIComponent(sql)}` };
    },
    stop,
  };
}
