import assert from "node:assert/strict";
import { mkdirSync, rmSync } from "node:fs";
import path from "node:path";
import { makeDirectory } from "../../../src/data-directory/directory.ts";
import type { Store } from "../../../src/store/store.ts";
import { collect } from "../../support/batches.ts";
import { openFolder } from "../disk/data-folder.ts";
import { type DiskImage, placeToCut, replayAll, replayCut } from "../disk/disk-image.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";
import { JUDGED, requireNotices, WATCHED } from "../life/judged-lanes.ts";
import { askedOf, MAIN, type OpenedImage, SECOND } from "../life/lane.ts";
import { NOTICES } from "../life/lanes.ts";
import { filesOf, type Lived, type LivedLane, recordLife, stepIn } from "../life/record-life.ts";
import { isSame } from "../life/written-lanes.ts";

/** Rounds until a new life is recorded, in which threads interleave differently. */
const ROUNDS_OF_LIFE = 1000;

/** Share of lanes whose next step is repeated after a crash. */
const REPEATED = 0.3;

export const cutLives: Fault = {
  id: "C4b",
  title:
    "Everything that writes to a store is killed at any system call, or loses its power: protocols, uploads, files, changes, deletions, judging with notices, downsampling, retention, merging, copies, exports, backups. What was acknowledged is there once and whole, everything else whole or not at all; no notice is lost.",
  rounds: { fast: 60, nightly: 2000, release: 5000 },
  programs: ["strace"],

  async run({ rounds, folder, random, log }: FaultContext): Promise<FaultFigures> {
    let life: Lived | undefined;
    let [kills, steps, notices, tookMs, cpuMicros] = [0, 0, 0, 0, 0];
    for (let round = 0; round < rounds; round++) {
      if (life === undefined || round % ROUNDS_OF_LIFE === 0) {
        const place = path.join(folder, `life-${round}`);
        mkdirSync(place);
        life = await recordLife(place);
        rmSync(place, { recursive: true });
        log(`${life.events.length} events, replayed to the same files`);
      }
      const [beganAtMs, began] = [performance.now(), process.cpuUsage()];
      const cutAt = placeToCut(life.events, random);
      const isKill = random() < 0.5;
      const before = life.events.slice(0, cutAt);
      const image = isKill ? replayAll(life.base, before) : replayCut(life.base, before, random);
      const crash = { life, cutAt, isKill, folder: path.join(folder, `cut-${round}`), random };
      try {
        const survived = await survive(crash, image);
        steps += survived.steps;
        notices += survived.notices;
      } catch (cause) {
        const how = isKill ? "killed" : "without power";
        throw new Error(`round ${round}, ${how} after ${cutAt} events: ${String(cause)}`, {
          cause,
        });
      }
      if (isKill) kills += 1;
      tookMs += performance.now() - beganAtMs;
      const { user, system } = process.cpuUsage(began);
      cpuMicros += user + system;
    }
    return {
      kills,
      "power cuts": rounds - kills,
      "steps acknowledged": steps,
      "notices posted after a crash": notices,
      "lost, doubled or in part": 0,
      "ms per crash": Math.round(tookMs / rounds),
      "of a processor": Math.round(cpuMicros / 1000 / rounds),
    };
  },
};

interface Crash {
  readonly life: Lived;
  readonly cutAt: number;
  readonly isKill: boolean;
  /** For the files that were left. */
  readonly folder: string;
  readonly random: () => number;
}

/** Opens the files as the program does and compares them with what was acknowledged; then repeats what was under way. */
async function survive(
  { life, cutAt, isKill, folder, random }: Crash,
  disk: DiskImage,
): Promise<{ readonly steps: number; readonly notices: number }> {
  const answers = life.events
    .slice(0, cutAt)
    .flatMap((event) => (event.kind === "answer" ? stepIn(event.id) : []));
  const stepsOf = (number: number): number => answers.filter(({ lane }) => lane === number).length;
  disk.writeTo(folder);
  const image = await openImage(folder, disk, life.key);
  try {
    for (const each of image.stores()) assert.deepEqual(await collect(each.verify()), [], "verify");
    for (const [number, lane] of life.lanes.entries()) {
      await requireState(lane, stepsOf(number), { image, isKill });
    }
    const settled = life.lanes.flatMap(({ steps }, number) =>
      steps.slice(0, stepsOf(number)).flatMap(({ notifiesOf }) => notifiesOf ?? []),
    );
    const received = answers.filter(({ lane }) => lane === NOTICES);
    const notices = await requireNotices(image.store, {
      endedAtMs: life.endedAtMs,
      before: received.map(({ step }) => [...JUDGED, WATCHED][step] ?? ""),
      settled,
    });
    for (const [number, lane] of life.lanes.entries()) {
      if (random() < REPEATED) await repeat(lane, stepsOf(number), image);
    }
    return { steps: answers.length - received.length, notices };
  } finally {
    for (const each of image.stores()) await each.close();
    disk.release();
    rmSync(folder, { recursive: true });
  }
}

interface CheckedImage extends OpenedImage {
  stores(): readonly Store[];
}

async function openImage(folder: string, disk: DiskImage, key: string): Promise<CheckedImage> {
  const store = await openFolder(path.join(folder, MAIN));
  const open = (): Promise<Store> => {
    makeDirectory(path.join(folder, SECOND));
    return openFolder(path.join(folder, SECOND));
  };
  const isThere = [...disk.names].some((name) => name.startsWith(`${SECOND}/`));
  let second = isThere ? await open() : undefined;
  return {
    ...askedOf(store, key, Date.now),
    ...filesOf(disk),
    store,
    get second() {
      return second;
    },
    async openSecond() {
      return (second ??= await open());
    },
    stores: () => (second === undefined ? [store] : [store, second]),
  };
}

async function requireState(
  { name, read, states, steps, mayFallBack = false }: LivedLane,
  acknowledged: number,
  { image, isKill }: { readonly image: OpenedImage; readonly isKill: boolean },
): Promise<void> {
  const state = await read(image).catch((cause: unknown) => {
    throw new Error(`${name}, ${acknowledged} steps acknowledged: ${String(cause)}`, { cause });
  });
  const first = mayFallBack && !isKill ? 0 : acknowledged;
  const allowed = states.slice(first, acknowledged + 2);
  const isAllowed =
    allowed.some((each) => isSame(each, state)) || steps[acknowledged]?.isBetween?.(state);
  assert.ok(
    isAllowed,
    `${name}, ${acknowledged} steps acknowledged: ${JSON.stringify(state)}, want one of ${JSON.stringify(allowed)}`,
  );
}

async function repeat(
  { name, read, states, steps }: LivedLane,
  acknowledged: number,
  image: OpenedImage,
): Promise<void> {
  const again = steps[acknowledged]?.again;
  if (again === undefined) return;
  await again(image);
  assert.deepEqual(await read(image), states[acknowledged + 1], `${name}, repeated`);
}
