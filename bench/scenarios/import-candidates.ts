/** What the scenarios of imports share: the candidates that read a whole file. */

import { mkdtempSync, rmSync } from "node:fs";
import path from "node:path";
import { type Finished, runChild } from "../frame/child.ts";
import type { BenchContext, Candidate, Column } from "../frame/scenario.ts";
import { duckdb } from "../peers/peers.ts";
import { foundPeer } from "../peers/peer.ts";
import { type Program, runProgram } from "./tachograph.ts";

export const IMPORT_COLUMNS: readonly Column[] = [
  { key: "inside", title: "inside, s", better: "less" },
  { key: "whole", title: "whole process, s", better: "less" },
  { key: "processor", title: "processor time, s", better: "less" },
  { key: "rate", title: "MB/s inside", better: "more" },
  { key: "resident", title: "resident at most, MB", better: "less" },
];

export interface FileToRead {
  readonly path: string;
  readonly bytes: number;
}

/** The program's import into a new store; `words` are further options of the command. */
export function importing(
  name: string,
  program: Program,
  {
    file,
    context,
    words = [],
  }: {
    readonly file: FileToRead;
    readonly context: BenchContext;
    readonly words?: readonly string[];
  },
): Candidate {
  return {
    name,
    open: () => ({
      async measure() {
        const data = mkdtempSync(path.join(context.scratch, "data-"));
        const command = ["import", file.path, "--id", "run", "--data", data, "--json"];
        const ran = await runProgram(program, [...command, ...words]);
        const report = JSON.parse(ran.out) as ImportOutcome;
        rmSync(data, { recursive: true });
        return {
          figures: figuresOf(report.seconds, ran, file),
          results: { requests: String(report.samples.recorded) },
        };
      },
    }),
  };
}

interface ImportOutcome {
  readonly seconds: number;
  readonly samples: { readonly recorded: number };
}

/** A query of DuckDB, in a process of its own, until its result is held in memory. */
export function querying(name: string, sql: string, file: FileToRead): Candidate {
  const child = path.join(import.meta.dirname, "duckdb-child.ts");
  return {
    name,
    needs: [duckdb],
    open: () => ({
      async measure() {
        const words = [child, foundPeer(duckdb).path, sql];
        const ran = await runChild({ program: process.execPath, words });
        const { seconds } = JSON.parse(ran.out) as { seconds: number };
        return { figures: figuresOf(seconds, ran, file) };
      },
    }),
  };
}

function figuresOf(
  inside: number,
  { seconds, processorSeconds, residentBytes }: Omit<Finished, "out">,
  { bytes }: FileToRead,
): Record<string, number> {
  return {
    inside,
    whole: seconds,
    processor: processorSeconds,
    rate: bytes / 1e6 / inside,
    resident: residentBytes / 1e6,
  };
}
