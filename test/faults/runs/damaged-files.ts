import assert from "node:assert/strict";
import { cpSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { runTachograph } from "../../support/run-tachograph.ts";
import { makeFolder, openFolder, STORE_FILE } from "../disk/data-folder.ts";
import {
  type Answers,
  answersOf,
  fillForDamage,
  fillFurther,
  wrongIn,
} from "../disk/damaged-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const PAGE_BYTES = 4096;

interface Folders {
  /** The folder of a closed store. */
  readonly closed: string;
  /** The same store before its last batches. */
  readonly earlier: string;
  /** Copied from an open store, including the log. */
  readonly open: string;
  /** The same for another store. */
  readonly other: string;
}

type Damage = (folder: string, folders: Folders, random: () => number) => void;

/** How files are damaged, and in which of the folders. */
const DAMAGES: readonly (readonly [name: string, of: "closed" | "open", damage: Damage])[] = [
  ["page of zeros", "closed", zeroPage],
  ["page of garbage", "closed", garbagePage],
  ["two pages swapped", "closed", swapPages],
  ["page of an earlier state", "closed", earlierPage],
  ["file cut short", "closed", cutShort],
  ["log with a page of zeros", "open", zeroLogPage],
  ["log deleted", "open", (folder) => rmSync(logOf(folder))],
  ["log of another store", "open", (folder, { other }) => cpSync(logOf(other), logOf(folder))],
  ["garbage as shared memory", "open", garbageMemory],
];

export const damagedFiles: Fault = {
  id: "C16",
  title:
    "Pages are zeroed, swapped, of garbage or of an earlier state, files cut short, the log is deleted or is another store's, the shared memory is garbage: no signal ends a process, every answer is right or an error that names the file, or, of a store without all of its log, that of an earlier instant.",
  rounds: { fast: 30, nightly: 600, release: 1200 },

  async run({ rounds, folder, random }: FaultContext): Promise<FaultFigures> {
    const folders = await makeFolders(folder);
    const right = {
      closed: await answersOf(folders.closed, true),
      open: await answersOf(copied(folders.open, folder), true),
    };
    const figures: Record<string, number> = { "never a signal": rounds };
    for (let round = 0; round < rounds; round++) {
      const [name, of, damage] = DAMAGES[round % DAMAGES.length] as (typeof DAMAGES)[number];
      const damaged = copied(folders[of], folder);
      damage(damaged, folders, random);
      if (round < 2 * DAMAGES.length) await requireReported(damaged, name);
      const answers = await answersOf(damaged, round % 4 < 2);
      const wrong = wrongIn(answers, right[of]);
      // If the log ends too early, nobody can know what it contained: the store returns an earlier state.
      const isEarlier = wrong.length > 0 && name.startsWith("log") && isBefore(answers, right[of]);
      assert.ok(wrong.length === 0 || isEarlier, `${name}: wrong answers: ${wrong.join(", ")}`);
      const isRefused = Object.values(answers).includes("refused");
      const outcome = isEarlier ? "an earlier state" : isRefused ? "refused" : "answered";
      figures[`${name}: ${outcome}`] = (figures[`${name}: ${outcome}`] ?? 0) + 1;
    }
    return figures;
  },
};

/** Whether an undamaged store has the first seconds of each endpoint, and nothing else. */
function isBefore(earlier: Answers, right: Answers): boolean {
  if (earlier["verify"] !== "nothing") return false;
  const all = new Map(rowsIn(right).map(({ label, data }) => [label, data]));
  return rowsIn(earlier).every(({ label, data }) =>
    isDeepStrictEqual(data, all.get(label)?.slice(0, data.length)),
  );
}

function rowsIn({ csv = "[]" }: Answers): { readonly label: string; readonly data: unknown[] }[] {
  return JSON.parse(csv) as { readonly label: string; readonly data: unknown[] }[];
}

/** The program must exit by itself; on an error it must name the file or the damage. */
async function requireReported(folder: string, name: string): Promise<void> {
  const copy = copied(folder, folder, "-verified");
  const { exitCode, out, error } = await runTachograph(["verify", "--data", copy]);
  assert.ok(exitCode === 0 || exitCode === 1, `${name}: ended with ${exitCode}: ${error}`);
  const isRecorded = exitCode === 0 || error.includes(copy) || out.length > 0;
  assert.ok(isRecorded, `${name}: neither the file nor what is damaged is told: ${error}`);
}

async function makeFolders(folder: string): Promise<Folders> {
  const [closed, earlier, open, other] = ["closed", "earlier", "open", "other"].map((name) =>
    path.join(folder, name),
  ) as [string, string, string, string];
  await makeFolder(closed, fillForDamage);
  cpSync(closed, earlier, { recursive: true });
  const grown = await openFolder(closed);
  await fillFurther(grown);
  await grown.close();
  for (const target of [open, other]) {
    const source = `${target}-source`;
    await makeFolder(source);
    const store = await openFolder(source);
    await fillForDamage(store);
    cpSync(source, target, { recursive: true });
    await store.close();
  }
  return { closed, earlier, open, other };
}

function copied(folder: string, beside: string, suffix = "/damaged"): string {
  const copy = `${beside}${suffix}`;
  rmSync(copy, { recursive: true, force: true });
  cpSync(folder, copy, { recursive: true });
  return copy;
}

function zeroPage(folder: string, _: Folders, random: () => number): void {
  zero(path.join(folder, STORE_FILE), random);
}

function zeroLogPage(folder: string, _: Folders, random: () => number): void {
  zero(logOf(folder), random);
}

function zero(file: string, random: () => number): void {
  const bytes = readFileSync(file);
  const page = Math.floor((random() * bytes.length) / PAGE_BYTES);
  bytes.subarray(page * PAGE_BYTES, (page + 1) * PAGE_BYTES).fill(0);
  writeFileSync(file, bytes);
}

function garbagePage(folder: string, _: Folders, random: () => number): void {
  const file = path.join(folder, STORE_FILE);
  const bytes = readFileSync(file);
  const garbage = Uint8Array.from({ length: PAGE_BYTES }, () => Math.floor(random() * 256));
  bytes.set(garbage, anyPage(bytes, random));
  writeFileSync(file, bytes);
}

function swapPages(folder: string, _: Folders, random: () => number): void {
  const file = path.join(folder, STORE_FILE);
  const bytes = readFileSync(file);
  const [one, other] = [anyPage(bytes, random), anyPage(bytes, random)];
  const kept = Uint8Array.from(bytes.subarray(one, one + PAGE_BYTES));
  bytes.copyWithin(one, other, other + PAGE_BYTES);
  bytes.set(kept, other);
  writeFileSync(file, bytes);
}

/** Like a write that the disk has lost: restores an older version of a page changed since. */
function earlierPage(folder: string, { earlier }: Folders, random: () => number): void {
  const file = path.join(folder, STORE_FILE);
  const [bytes, before] = [readFileSync(file), readFileSync(path.join(earlier, STORE_FILE))];
  const written: number[] = [];
  for (let at = PAGE_BYTES; at < before.length; at += PAGE_BYTES) {
    if (!pageAt(before, at).equals(pageAt(bytes, at))) written.push(at);
  }
  const at = written[Math.floor(random() * written.length)] ?? 0;
  bytes.set(pageAt(before, at), at);
  writeFileSync(file, bytes);
}

function pageAt(bytes: Buffer, at: number): Buffer {
  return bytes.subarray(at, at + PAGE_BYTES);
}

/** The offset of a random page other than the first. */
function anyPage(bytes: Uint8Array, random: () => number): number {
  const pages = bytes.length / PAGE_BYTES;
  return PAGE_BYTES * (1 + Math.floor(random() * (pages - 1)));
}

function cutShort(folder: string, _: Folders, random: () => number): void {
  const file = path.join(folder, STORE_FILE);
  truncateSync(file, Math.floor(random() * readFileSync(file).length));
}

function garbageMemory(folder: string, _: Folders, random: () => number): void {
  const bytes = Buffer.from(Array.from({ length: 32_768 }, () => Math.floor(random() * 256)));
  writeFileSync(path.join(folder, `${STORE_FILE}-shm`), bytes);
}

function logOf(folder: string): string {
  return path.join(folder, `${STORE_FILE}-wal`);
}
