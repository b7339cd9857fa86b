import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";

const root = path.join(import.meta.dirname, "..");

/** Folders with documents, and whether to search their subfolders. */
const FOLDERS = [
  { folder: ".", recursive: false },
  { folder: "docs", recursive: true },
  { folder: "test", recursive: true },
  { folder: "bench", recursive: true },
  { folder: "examples/demo", recursive: true },
] as const;

const documents = FOLDERS.flatMap(({ folder, recursive }) =>
  readdirSync(path.join(root, folder), { recursive, encoding: "utf8" })
    // Programs that the benchmark has installed bring documents of their own.
    .filter((file) => file.endsWith(".md") && !file.startsWith(".cache"))
    .map((file) => path.join(folder, file)),
);

/** `[text](target)` and link definitions; targets with a scheme are outside the repository. */
const LINK = /\]\((?!\w+:|#)([^)\s#]+)[^)]*\)|^\[[^\]]+\]:\s+(?!\w+:)(\S+)/gm;
const CODE = /```[\s\S]*?```|`[^`\n]*`/g;

test.each(documents)("the links of %s resolve", (document) => {
  const text = readFileSync(path.join(root, document), "utf8").replaceAll(CODE, "");
  const targets = [...text.matchAll(LINK)].map((match) => match[1] ?? match[2] ?? "");
  const folder = path.join(root, path.dirname(document));
  expect(targets.filter((target) => !existsSync(path.join(folder, target)))).toEqual([]);
});

const HEADING_LINK = /\]\((?!\w+:)([^)\s#]*)#([^)\s]+)\)/g;

test.each(documents)("the headings that %s links to exist", (document) => {
  const text = readFileSync(path.join(root, document), "utf8").replaceAll(CODE, "");
  const links = [...text.matchAll(HEADING_LINK)].map(([, file = "", heading = ""]) => ({
    file: file === "" ? document : path.join(path.dirname(document), file),
    heading,
  }));
  const missing = links.filter(
    ({ file, heading }) => file.endsWith(".md") && !headingsOf(file).includes(heading),
  );
  expect(missing).toEqual([]);
});

/** The fragments that Git hosting services assign to the headings of a document. */
function headingsOf(document: string): readonly string[] {
  const text = readFileSync(path.join(root, document), "utf8").replaceAll(/```[\s\S]*?```/g, "");
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
