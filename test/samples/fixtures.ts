import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { EXPECTATIONS } from "./expectations.ts";
import type { Expectation } from "./expectations.ts";

export const FIXTURE_FOLDER = path.join(import.meta.dirname, "../fixtures");

/** The expectations of the files in the repository. */
export const FIXTURES: readonly Expectation[] = EXPECTATIONS.filter(
  ({ file }) => locate(file) !== undefined,
);

/** The bytes of a fixture as its tool wrote them. */
export function readFixture(file: string): Uint8Array {
  const found = locate(file);
  if (found === undefined) throw new Error(`BUG: no fixture ${file}`);
  const bytes = readFileSync(found.path);
  return found.packed ? gunzipSync(bytes) : bytes;
}

/**
 * Files in the repository are stored compressed, except those that their tool compressed itself.
 */
function locate(file: string): { path: string; packed: boolean } | undefined {
  const plain = path.join(FIXTURE_FOLDER, file);
  if (file.endsWith(".gz")) return existsSync(plain) ? { path: plain, packed: false } : undefined;
  // The plain file of a run that k6 also compressed is not stored: it would have the same name.
  if (EXPECTATIONS.some((other) => other.file === `${file}.gz`)) return undefined;
  return existsSync(`${plain}.gz`) ? { path: `${plain}.gz`, packed: true } : undefined;
}
