import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { type Launch, runTachograph } from "../../support/run-tachograph.ts";
import { makeFolder } from "../disk/data-folder.ts";
import { withSmallDisk } from "../disk/small-disk.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const REFUSED_WITHIN_MS = 1000;
/** On a slow machine: the duration of this many starts that do nothing. */
const REFUSED_WITHIN_STARTS = 4;
const SERVES_AT_MOST_SECONDS = 20;
const REASON = /EACCES|EROFS|EPERM|readonly|unable to open/;

export const unwritableFolder: Fault = {
  id: "C12",
  title:
    "The data folder is on a read-only disk, or may not be entered: a server ends within 1 s of its start and names the path and the reason.",
  rounds: { fast: 1, nightly: 5, release: 5 },
  programs: ["mount", "setpriv"],

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    let slowestMs = 0;
    const refuse = async (data: string, launch?: Launch): Promise<void> => {
      const beforeMs = await startMs();
      const tookMs = await requireRefusal(data, launch);
      const needsMs = Math.max(beforeMs, await startMs());
      const withinMs = Math.max(REFUSED_WITHIN_MS, REFUSED_WITHIN_STARTS * needsMs);
      assert.ok(tookMs - needsMs <= withinMs, `a refusal took ${tookMs} ms, a start ${needsMs} ms`);
      slowestMs = Math.max(slowestMs, tookMs - needsMs);
    };
    for (let round = 0; round < rounds; round++) {
      await withSmallDisk(folder, "tmpfs", async (disk) => {
        await makeFolder(path.join(disk, "data"));
        execFileSync("mount", ["-o", "remount,ro", disk]);
        await refuse(path.join(disk, "data"));
        await refuse(path.join(disk, "none"));
      });
      await refuse(closedFolder(path.join(folder, `closed-${round}`)), withoutPrivilege());
    }
    return { refusals: 3 * rounds, "longest ms": slowestMs };
  },
};

/** How long a start that does nothing takes now. */
async function startMs(): Promise<number> {
  const beganAtMs = performance.now();
  await runTachograph(["--version"]);
  return Math.round(performance.now() - beganAtMs);
}

async function requireRefusal(data: string, launch?: Launch): Promise<number> {
  const beganAtMs = performance.now();
  const words = ["serve", "--port", "0", "--data", data];
  // Ends a server that starts anyway, so that the run fails instead of hanging.
  const through = ["timeout", String(SERVES_AT_MOST_SECONDS), ...(launch?.through ?? [])];
  const { exitCode, error } = await runTachograph(words, { through });
  assert.equal(exitCode, 1, error);
  assert.ok(error.includes(data), `names ${data}: ${error}`);
  assert.match(error, REASON);
  return Math.round(performance.now() - beganAtMs);
}

/** A folder that nobody may enter, not even its owner. */
function closedFolder(folder: string): string {
  mkdirSync(folder, { mode: 0 });
  return path.join(folder, "data");
}

/**
 * The superuser may enter every folder. Without that privilege it can still read the program, as its owner.
 */
function withoutPrivilege(): Launch {
  if (process.getuid?.() !== 0) return {};
  const rights = ["--bounding-set=-dac_override,-dac_read_search", "--inh-caps=-all"];
  return { through: ["setpriv", ...rights] };
}
