import { existsSync, globSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import type { Format } from "../../src/decode/decoder.ts";
import { detectFormat } from "../../src/decode/detect.ts";
import { FORMATS } from "../../src/decode/formats.ts";
import { FORMATS_ABOUT } from "../../src/decode/formats-about.ts";
import { detailsTable, toolsTables, withoutPadding } from "./tools-tables.ts";

const ROOT = path.join(import.meta.dirname, "../..");
const CORPUS = path.join(ROOT, "test/fuzz/corpus");

test.each([
  ...toolsTables().map((table) => ["tools/README.md", table] as const),
  ["samples.md", detailsTable()] as const,
])("docs/%s has the table\n%s", (name, table) => {
  const page = readFileSync(path.join(ROOT, "docs", name), "utf8");
  expect(withoutPadding(page)).toContain(withoutPadding(table));
});

const SOURCES = globSync("src/decode/**/*.ts", { cwd: ROOT }).map((file) =>
  readFileSync(path.join(ROOT, file), "utf8"),
);
const CONTRACTS = SOURCES.filter((text) => text.includes("formatContract(")).join("");

/** Whether a test of its contract names the decoder that begins with what the format says of itself. */
function hasContract(name: string): boolean {
  const about = name.toUpperCase().replaceAll("-", "_");
  const decoder = new RegExp(
    String.raw`^export const (\w+)[^;=]* = [^;]*?\{\s+\.\.\.${about},`,
    "m",
  );
  const names = SOURCES.flatMap((text) => decoder.exec(text)?.[1] ?? []);
  return names.some((each) => new RegExp(String.raw`\b${each}\b`).test(CONTRACTS));
}

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
    ["formatContract in a test", needsEnd === undefined && !hasContract(name)],
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
