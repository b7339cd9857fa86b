import { existsSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { GROUPS } from "./groups.ts";

const ROOT = path.join(import.meta.dirname, "../..");

test.each(GROUPS)("files and tests of $name exist", ({ files, remembering = [], tests }) => {
  const named = [...Object.keys(files), ...remembering, ...tests];
  expect(named.filter((file) => !existsSync(path.join(ROOT, file)))).toEqual([]);
});
