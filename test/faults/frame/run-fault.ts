import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { randomFrom } from "../../support/dense-points.ts";
import type { Fault, FaultResult } from "./fault.ts";
import { MissingHere } from "./missing-here.ts";

/** Runs one fault in a folder of its own. Does not throw: errors are in the result. */
export async function runFault(
  fault: Fault,
  rounds: number,
  seed: number,
  log: (text: string) => void,
): Promise<FaultResult> {
  const { id, title } = fault;
  const missing = (fault.programs ?? []).filter((program) => !isInstalled(program));
  if (missing.length > 0) {
    const trouble = `not here: ${missing.join(", ")}; test/faults/install-programs.sh installs them`;
    return { id, title, rounds, outcome: "missing", figures: {}, trouble, tookSeconds: 0 };
  }
  const folder = mkdtempSync(path.join(tmpdir(), `tachograph-${id.toLowerCase()}-`));
  const remove = (): void => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const startedAtMs = performance.now();
  const ended = (): { tookSeconds: number } => ({
    tookSeconds: Math.round((performance.now() - startedAtMs) / 100) / 10,
  });
  try {
    const figures = await fault.run({ rounds, folder, random: randomFrom(seed), log });
    return { id, title, rounds, outcome: "held", figures, ...ended() };
  } catch (error) {
    if (error instanceof MissingHere) {
      const trouble = `not here: ${error.message}`;
      return { id, title, rounds, outcome: "missing", figures: {}, trouble, ...ended() };
    }
    const trouble = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return { id, title, rounds, outcome: "failed", figures: {}, trouble, ...ended() };
  } finally {
    process.off("exit", remove);
    remove();
  }
}

function isInstalled(program: string): boolean {
  const folders = (process.env["PATH"] ?? "").split(path.delimiter);
  return folders.some(
    (folder) => statSync(path.join(folder, program), { throwIfNoEntry: false })?.isFile() === true,
  );
}
