import { readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { referenceText } from "./reference-text.ts";

test("docs/cli.md says of every command what its help says (npm run docs:cli)", async () => {
  const file = path.join(import.meta.dirname, "../../docs/cli.md");
  expect(readFileSync(file, "utf8")).toBe(await referenceText());
});
