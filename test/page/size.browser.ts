import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";

const ASSETS = path.join(import.meta.dirname, "../../dist/page/assets");
/** Of all scripts and styles that the page loads, compressed. */
const BYTES_MAX = 150_000;

test("scripts and styles have at most 150 kB compressed", () => {
  const files = globSync("*.{js,css}", { cwd: ASSETS });
  // One of each at least: the page is built.
  expect(files.length).toBeGreaterThanOrEqual(2);
  const sizes = files.map((file) => {
    return gzipSync(readFileSync(path.join(ASSETS, file)), { level: 9 }).length;
  });
  expect(sizes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(BYTES_MAX);
});
