/** Comments name files that exist. */

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const REPOSITORY = path.join(import.meta.dirname, "..");
const FOLDERS = [
  "src",
  "page",
  "kernel",
  "test",
  "bench",
  "build",
  "docs",
  "runtime",
  "deploy",
  "examples",
  "integrations",
];
const LEFT_OUT = /(^|\/)(node_modules|dist|generated|corpus|fixtures)\//;

const files = ["", ...FOLDERS].flatMap((folder) =>
  readdirSync(path.join(REPOSITORY, folder), {
    recursive: folder !== "",
    encoding: "utf8",
  }).map((file) => path.posix.join(folder, file.split(path.sep).join("/"))),
);

const COMMENT = /\/\*[\s\S]*?\*\/|(?<=^|[\s;{}])\/\/.*$/gm;

/** A file of this repository, not a part of an address. */
const NAMED = /(?<![\w./:~*-])(?:\.{0,2}\/)*((?:[\w-]+\/)*[\w.-]+\.(?:ts|tsx|mjs|md))\b(?!\/)/g;

const sources = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file) && !LEFT_OUT.test(file));

const ends = new Set(
  files.flatMap((file) => {
    const parts = file.split("/");
    return parts.map((_, at) => parts.slice(at).join("/"));
  }),
);

test("comments name files that exist", () => {
  const missing = sources.flatMap((file) => {
    const text = readFileSync(path.join(REPOSITORY, file), "utf8");
    const comments = (text.match(COMMENT) ?? []).join("\n").replaceAll(/https?:\S+/g, "");
    return [...comments.matchAll(NAMED)]
      .map(([, name = ""]) => name)
      .filter((name) => !ends.has(name))
      .map((name) => `${file}: ${name}`);
  });
  expect(sources.length).toBeGreaterThan(1000);
  expect(missing).toEqual([]);
});
