import { hash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

const CORPUS = path.join(import.meta.dirname, "corpus");

export interface SavedInput {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/** The inputs of a target, by name: `seed-*` are well-formed, `found-*` have failed once. */
export function readCorpus(target: string): readonly SavedInput[] {
  const folder = path.join(CORPUS, target);
  return readdirSync(folder)
    .filter((name) => name.endsWith(".dat"))
    .toSorted()
    .map((name) => ({ name, bytes: readFileSync(path.join(folder, name)) }));
}

/** Saves a failing input, to be replayed by tests. Returns its path. */
export function saveFound(target: string, bytes: Uint8Array): string {
  const folder = path.join(CORPUS, target);
  mkdirSync(folder, { recursive: true });
  const file = path.join(folder, `found-${hash("sha1", bytes).slice(0, 10)}.dat`);
  writeFileSync(file, bytes);
  return path.relative(process.cwd(), file);
}
