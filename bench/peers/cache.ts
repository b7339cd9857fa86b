import { mkdirSync } from "node:fs";
import path from "node:path";

const CACHE = process.env["TACHOGRAPH_BENCH_CACHE"] ?? path.join(import.meta.dirname, "../.cache");

/** A folder of the cache of the benchmark, made if it is not there. */
export function cacheFolder(...names: readonly string[]): string {
  const folder = path.resolve(CACHE, ...names);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Where something in the cache is, or would be. */
export function cachePath(...names: readonly string[]): string {
  return path.resolve(CACHE, ...names);
}
