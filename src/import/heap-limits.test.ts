import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";

const MEBIBYTE = 1024 * 1024;
const MODULE = new URL("heap-limits.ts", import.meta.url);

/** Keeps many objects alive for a while and returns the largest young generation seen. */
const CHILD = `
const { limitYoungGeneration, youngBytes } = await import(process.argv[1]);
if (process.argv[2] === "limited") limitYoungGeneration();
const kept = [];
let most = 0;
for (let turn = 0; turn < 800; turn++) {
  kept[turn % 64] = Array.from({ length: 5000 }, (_, number) => ({ number }));
  most = Math.max(most, youngBytes());
  await new Promise((resolve) => setImmediate(resolve));
}
console.log(most);
`;

function largestYoungBytes(mode: "limited" | "free"): number {
  const script = ["--input-type=module", "--eval", CHILD, "--", MODULE.href, mode];
  return Number(execFileSync(process.execPath, script, { encoding: "utf8" }));
}

// Without a limit it is 64 or 128 MB on Node 24.
test("the young generation stays small", { timeout: 60_000 }, () => {
  expect(largestYoungBytes("limited")).toBeLessThanOrEqual(32 * MEBIBYTE);
});
