/** Digests that show what has changed since an earlier run. */

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { findMutants } from "./find-mutants.ts";
import type { Group } from "./groups.ts";
import { instrument } from "./instrument.ts";
import type { Task } from "./task.ts";

/** The files and tests of a group with their digests. Throws if one does not exist. */
export function digestsOf(group: Group): Pick<Task, "files" | "tests"> {
  const files = Object.fromEntries(
    Object.keys(group.files).map((file) => {
      const source = readFileSync(file, "utf8");
      return [file, digestOf(instrument(file, source, findMutants(source)))];
    }),
  );
  const tests = group.tests.map((test) => [test, digestOf(wholeText(test))]);
  return { files, tests: Object.fromEntries(tests) as Record<string, string> };
}

/** The text of a test and of all tests and test helpers that it imports. */
function wholeText(test: string): string {
  const texts = new Map<string, string>();
  const add = (file: string): void => {
    if (texts.has(file) || !isOfTests(file) || !existsSync(file)) return;
    const text = readFileSync(file, "utf8");
    texts.set(file, text);
    for (const [, imported = ""] of text.matchAll(/from "(\.[^"]*)"/g)) {
      add(path.join(path.dirname(file), imported));
    }
  };
  if (!existsSync(test)) throw new Error(`test ${test} does not exist`);
  add(test);
  return [...texts.values()].join("\n");
}

function isOfTests(file: string): boolean {
  return file.startsWith("test/") || file.endsWith(".test.ts");
}

function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
