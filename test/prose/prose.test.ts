import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { WORDS } from "./words.ts";

const root = path.join(import.meta.dirname, "../..");

const documents = globSync(["*.md", "docs/**/*.md", "{bench,examples,test}/**/README.md"], {
  cwd: root,
}).toSorted();

const programs = globSync(["src/**/*.ts", "page/{src,report}/**/*.{ts,tsx}", "build/**/*.ts"], {
  cwd: root,
}).filter((file) => !file.includes(".test."));

const RULES = Object.entries(WORDS).map(([words, instead]) => ({
  words,
  pattern: new RegExp(String.raw`\b(?:${words})\b`, "gi"),
  instead,
}));

/** Each use of a listed word, with its line and the replacement. */
function complaints(text: string): string[] {
  return RULES.flatMap(({ pattern, instead }) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split("\n").length;
      return `${line}: "${found.replaceAll(/\s+/g, " ")}": ${instead}`;
    }),
  );
}

/** Keeps line breaks, so that line numbers stay right. */
function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|(?<![:"'`])\/\/.*/g, (comment) =>
    comment.replaceAll(/[^\n]/g, ""),
  );
}

function read(file: string): string {
  return readFileSync(path.join(root, file), "utf8");
}

test.each(documents)("%s uses common terms", (file) => {
  expect(complaints(read(file))).toEqual([]);
});

// Comments are left to reviewers.
test("messages, help and the web UI use common terms", () => {
  expect(
    programs.flatMap((file) =>
      complaints(withoutComments(read(file))).map((complaint) => `${file}:${complaint}`),
    ),
  ).toEqual([]);
});

/** A sentence that violates each rule, in the order of the rules. */
const REFUSED = `
nobody reads it; counted anew; load tests as things; the key at hand; labels beyond those that are
told apart; 1 of 2 limits broken; different by chance; a file cut short; for want of a disk;
gives it back; hand over the file; held against a limit; sent in vain; no instants are known; the
cut is told; it is no file; let a language model ask; makes no load; makes a shell complete; not
judged; nothing else was changed; requests by seconds; the rest is as for Summary; so many rows;
stands out; take off the mark; times told apart; what comes of it; lists what there is; while the
test runs; without being told; whoever reads; as the system has it;
no request has come; 5 s a point; where the server runs`;

test.each(RULES)("$words is rejected", ({ pattern }) => {
  expect(REFUSED.replaceAll("\n", " ")).toMatch(pattern);
});

/** Table rules and other symbols are not words, and what is generated does not count. */
function wordCount(file: string): number {
  const text = read(file);
  const written = file === "docs/tools/README.md" ? text.replaceAll(/^\|.*/gm, "") : text;
  return written.match(/\S*[\p{L}\p{N}]\S*/gu)?.length ?? 0;
}

/** Words of a page: about a tenth more than the longest has. */
const GUIDE_WORDS_MAX = 1150;
const INTERNALS_WORDS_MAX = 2050;

/** Pages to look something up in. */
const LONGER = new Map([
  ["README.md", 900],
  ["docs/api.md", 6300],
  ["docs/check.md", 3100],
  ["docs/errors.md", 2500],
  ["docs/internals/statistics.md", 3900],
]);

// docs/cli.md is written by `npm run task docs:cli`.
const measured = documents.filter(
  (file) => (file === "README.md" || /^docs\/(?!decisions\/)/.test(file)) && file !== "docs/cli.md",
);

// Each page has a limit of its own, so that nobody has to shorten a page of others to add one.
test.each(measured)("the length of %s stays bounded", (file) => {
  const usual = file.startsWith("docs/internals/") ? INTERNALS_WORDS_MAX : GUIDE_WORDS_MAX;
  expect(wordCount(file)).toBeLessThanOrEqual(LONGER.get(file) ?? usual);
});
