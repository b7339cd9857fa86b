import { DatabaseSync } from "node:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { FacetOptions, Format } from "../../src/decode/decoder.ts";
import { decodePoints } from "../../src/import/decode-points.ts";
import { importResults } from "../../src/import/import-results.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";

export interface ImportCost {
  /** Of all blocks: points, failures, users and measures. */
  readonly bytes: number;
  readonly processorMs: number;
}

interface ImportCostOptions {
  /** @default those of the format */
  readonly facets?: FacetOptions;
  /** Called with the store file before it is deleted. */
  readonly use?: (file: string) => Promise<void>;
}

/** Imports a file into a new SQLite store. */
export async function importCost(
  format: Format,
  chunks: readonly Uint8Array[],
  { facets, use }: ImportCostOptions = {},
): Promise<ImportCost> {
  const scratch = mkdtempSync(path.join(tmpdir(), "tachograph-cost-"));
  try {
    const file = path.join(scratch, "store.sqlite");
    const store = await openSqliteStore(file, { now: Date.now });
    const request = {
      loadTest: { id: "run", name: "Run" },
      name: "file",
      chunks: oneByOne(chunks),
      decodeOptions: { timeZone: "UTC", ...(facets && { facets }) },
    };
    const before = process.cpuUsage();
    await importResults(request, { store, formats: [format], decodePoints, now: Date.now });
    const { user, system } = process.cpuUsage(before);
    await store.close();
    await use?.(file);
    return { bytes: blockBytes(file), processorMs: (user + system) / 1000 };
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

async function* oneByOne(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

function blockBytes(file: string): number {
  const database = new DatabaseSync(file);
  const bytes = "sum(length(plain) + coalesce(length(distribution), 0))";
  // Those that merging has replaced are deleted later.
  const shown = "block IN (SELECT number FROM blocks WHERE shown_until IS NULL)";
  const stored = database.prepare(`SELECT ${bytes} AS stored FROM segments WHERE ${shown}`).get();
  database.close();
  return Number(stored?.["stored"]);
}
