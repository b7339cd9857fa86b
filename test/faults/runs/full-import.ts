import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { jtlPieces } from "../../../bench/make-jtl.ts";
import { runTachograph } from "../../support/run-tachograph.ts";
import { Ballast, type DiskKind, withSmallDisk } from "../disk/small-disk.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const KINDS: readonly DiskKind[] = ["tmpfs", "ext4"];
const ROWS = 60_000;
const FAILED = 1;
const MEBIBYTE = 1024 ** 2;

export const fullImport: Fault = {
  id: "C11",
  title:
    "The disk fills up during an import: it fails and says so, nothing of it is visible, and with room the same command makes what an undisturbed import makes.",
  rounds: { fast: 1, nightly: 10, release: 20 },
  programs: ["mkfs.ext4", "mount"],

  async run({ rounds, folder, random }: FaultContext): Promise<FaultFigures> {
    const file = path.join(folder, "results.jtl");
    writeFileSync(file, [...jtlPieces({ rows: ROWS })].join(""));
    const whole = path.join(folder, "whole");
    const words = ["import", file, "--id", "run", "--keep-file", "--free-bytes-min", "0"];
    const importInto = (data: string) => runTachograph([...words, "--data", data]);
    assert.equal((await importInto(whole)).exitCode, 0);
    const right = await answersOf(whole);
    for (let round = 0; round < rounds; round++) {
      const kind = KINDS[round % KINDS.length] as DiskKind;
      await withSmallDisk(folder, kind, async (disk) => {
        const data = path.join(disk, "data");
        await runTachograph(["keys", "create", "--name", "first", "--data", data]);
        const ballast = new Ballast(disk);
        // Less than the import needs.
        ballast.fill(Math.floor((0.1 + 0.4 * random()) * MEBIBYTE));
        ballast.free();
        const { exitCode, error } = await importInto(data);
        assert.equal(exitCode, FAILED, error);
        assert.match(error, /disk/);
        const shown = await runTachograph(["metrics", "run", "--filter", "/", "--data", data]);
        assert.ok(shown.exitCode !== 0 || shown.out.trim() === "[]", "nothing of it is visible");
        const kept = await runTachograph(["attachments", "list", "run", "--data", data]);
        assert.ok(kept.exitCode !== 0 || kept.out === "no files\n", "nor is its original");
        ballast.freeRest();
        const again = await importInto(data);
        assert.equal(again.exitCode, 0, again.error);
        assert.deepEqual(await answersOf(data), right);
        const output = path.join(folder, "exported.jtl");
        await runTachograph(["export", "run", "--file", "-o", output, "--data", data]);
        assert.ok(readFileSync(output).equals(readFileSync(file)), "the original is whole");
      });
    }
    return { imports: rounds, "begun again": rounds, "rows lost": 0 };
  },
};

async function answersOf(data: string): Promise<string[]> {
  const questions = [
    ["metrics", "run", "--filter", "/", "--format", "csv"],
    ["summary", "run", "--json"],
    ["verify"],
  ];
  const answers: string[] = [];
  for (const words of questions) {
    const { exitCode, out, error } = await runTachograph([...words, "--data", data]);
    assert.equal(exitCode, 0, error);
    answers.push(out);
  }
  return answers;
}
