import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll } from "vitest";

/** An empty directory that is removed after all tests of the file. */
export function testFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "tachograph-test-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
