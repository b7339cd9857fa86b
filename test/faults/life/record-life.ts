import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { hash } from "node:crypto";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { makeFolder } from "../disk/data-folder.ts";
import { DiskImage, isChange, settle } from "../disk/disk-image.ts";
import { type DiskEvent, readRecording, recordingWords } from "../disk/recording.ts";
import { fillOld } from "./kept-lanes.ts";
import { type Lane, MAIN, type OpenedImage } from "./lane.ts";
import { LATER_MS, openLanes } from "./lanes.ts";

const CHILD = path.join(import.meta.dirname, "life-child.ts");

export interface Lived {
  readonly base: DiskImage;
  readonly events: readonly DiskEvent[];
  readonly lanes: readonly LivedLane[];
  /** A key of the store with all scopes. */
  readonly key: string;
  readonly endedAtMs: number;
}

/** A lane with its states: that before the first step, then those after each. */
export interface LivedLane extends Lane {
  readonly states: readonly unknown[];
}

/**
 * Records a process that lives through all lanes, with the programs that it starts. Throws if replaying the recording does not reproduce
 * the files that they left.
 */
export async function recordLife(folder: string): Promise<Lived> {
  const [data, log] = [path.join(folder, "lived"), path.join(folder, "strace-lived.log")];
  mkdirSync(path.join(data, "out"), { recursive: true });
  const key = await makeFolder(path.join(data, MAIN), fillOld);
  const base = DiskImage.of(data);
  await live(data, log, key);
  const events = settle(base, await readRecording(log, data, base.names), DiskImage.of(data));
  const lanes = await Promise.all(
    openLanes().map(async (lane, number) => ({
      ...lane,
      states: await statesOf(lane, number, { base, events }),
    })),
  );
  return { base, events, lanes, key, endedAtMs: Date.now() + 2 * LATER_MS };
}

async function live(data: string, log: string, key: string): Promise<void> {
  const child = [process.execPath, CHILD, data, key];
  const words = ["-D", "-f", "--seccomp-bpf", ...recordingWords(log), ...child];
  const living = spawn("strace", words, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  living.stdout.resume();
  living.stderr.setEncoding("utf8").on("data", (text: string) => void (said += text));
  await once(living, "close");
  assert.ok(said.includes("lived\n"), said);
}

async function statesOf(
  { before, steps, read }: Lane,
  number: number,
  { base, events }: Pick<Lived, "base" | "events">,
): Promise<readonly unknown[]> {
  const states: unknown[] = [before];
  const image = base.copy();
  const isKnown = steps.every(({ after }) => after !== undefined);
  for (const event of events) {
    if (isChange(event) && !isKnown) image.apply(event);
    if (event.kind !== "answer" || stepIn(event.id).lane !== number) continue;
    assert.equal(stepIn(event.id).step, states.length - 1, "steps are acknowledged in their order");
    const { after } = steps[states.length - 1] ?? {};
    states.push(after ?? (await read(filesOf(image) as OpenedImage)));
  }
  assert.equal(states.length, steps.length + 1, "all steps are acknowledged");
  return states;
}

export function filesOf(image: DiskImage): Pick<OpenedImage, "digestOf"> {
  return {
    digestOf(name) {
      const bytes = image.bytesOf(name);
      return bytes === undefined ? "none" : hash("sha256", bytes);
    },
  };
}

/** The step that an acknowledgement is of, or a notice. */
export function stepIn(id: string): { readonly lane: number; readonly step: number } {
  const [lane = 0, step = 0] = id.split(" ").map(Number);
  return { lane, step };
}
