import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Format } from "../../src/decode/decoder.ts";
import { detectFormat } from "../../src/decode/detect.ts";
import { FORMATS } from "../../src/decode/formats.ts";
import { FORMATS_ABOUT } from "../../src/decode/formats-about.ts";
import { toolsTables, withoutPadding } from "./tools-tables.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const CORPUS = path.join(ROOT, "test/fuzz/corpus");

test.each(toolsTables())("docs/tools/README.md has the table\n%s", (table) => {
  const page = readFileSync(path.join(ROOT, "docs/tools/README.md"), "utf8");
  expect(withoutPadding(page)).toContain(withoutPadding(table));
});

test.each(FORMATS)("$name lacks nothing", (format) => {
  expect(lacksOf(format)).toEqual([]);
});

/** What is missing of a format, with the place where it belongs. */
function lacksOf({ name, needsEnd }: Format): readonly string[] {
  const about = FORMATS_ABOUT.find((each) => each.name === name);
  if (about === undefined) return ["an entry in src/decode/formats-about.ts"];
  const ofTool = FORMATS_ABOUT.filter(({ tool }) => tool === about.tool);
  const seeds = needsEnd === true ? [] : seedsOf(name);
  const lacks: readonly [what: string, isMissing: boolean][] = [
    ["a row of the table in docs/tools/README.md", !ofTool.some(({ row }) => row !== undefined)],
    [`${about.page} in docs/tools`, !existsSync(path.join(ROOT, "docs/tools", about.page ?? ""))],
    [`test/fuzz/corpus/${name}/seed-*.dat`, needsEnd === undefined && seeds.length === 0],
    ...seeds.map((file): [string, boolean] => [
      `a sign in ${file} by which it is detected`,
      detectFormat(readFileSync(file), FORMATS).name !== name,
    ]),
  ];
  return lacks.flatMap(([what, isMissing]) => (isMissing ? [what] : []));
}

function seedsOf(name: string): readonly string[] {
  const folder = path.join(CORPUS, name);
  if (!existsSync(folder)) return [];
  const files = readdirSync(folder).filter((file) => file.startsWith("seed-"));
  return files.map((file) => path.join(folder, file));
}
