/** Contestants that keep rows of the dense load test in a database and answer with `csv` alone. */

import path from "node:path";
import type { BenchContext } from "../frame/scenario.ts";
import { foundPeer } from "../peers/peer.ts";
import { duckdb } from "../peers/peers.ts";
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
