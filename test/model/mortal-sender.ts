/**
 * The real sender (follower, spool, calls) with a disk in memory and a clock of its own, which can be killed.
 */

import { setImmediate as nextTurn } from "node:timers/promises";
import { FORMATS } from "../../src/decode/formats.ts";
import { followResults } from "../../src/live/follow-results.ts";
import { openRemoteTarget } from "../../src/remote/remote-target.ts";
import { ServerCalls } from "../../src/remote/server-calls.ts";
import { Spool } from "../../src/remote/spool.ts";
import type { SpoolFolder } from "../../src/remote/spool-folder.ts";
import type { WrittenFile } from "../support/written-file.ts";

export interface LifePlan {
  readonly loadTestId: string;
  readonly key: string;
  readonly files: readonly WrittenFile[];
  readonly fetch: typeof fetch;
  readonly random: () => number;
  /** The files that outlive the sender. */
  readonly disk: Map<string, Uint8Array>;
  /** Run at each poll for new bytes; after them the sender is told to stop. */
  readonly steps: (() => void)[];
  /** Number of calls and writes before it is killed; `undefined`: it stops by itself. */
  readonly effectsMax: number | undefined;
  /**
   * Whether it retries until everything is acknowledged before it stops, or exits at the first failure.
   */
  readonly isPatient: boolean;
}

/** Resolves when the sender has stopped or was killed. A killed one does nothing any more. */
export async function live(plan: LifePlan): Promise<"ended" | "killed"> {
  let effects = 0;
  const death = Promise.withResolvers<"killed">();
  const mortally = async <Result>(effect: () => Promise<Result>): Promise<Result> => {
    effects += 1;
    const isLast = effects === plan.effectsMax;
    const isDead = plan.effectsMax !== undefined && effects > plan.effectsMax;
    // Half of the last calls are executed, but nobody receives the result.
    if (isDead || (isLast && plan.random() < 0.5)) return dead(death.resolve);
    const result = await effect();
    return isLast ? dead(death.resolve) : result;
  };
  const ended = act(plan, mortally).then(() => "ended" as const);
  return Promise.race([death.promise, ended]);
}

function dead(die: (how: "killed") => void): Promise<never> {
  die("killed");
  return new Promise(() => undefined);
}

type Mortally = <Result>(effect: () => Promise<Result>) => Promise<Result>;

async function act(plan: LifePlan, mortally: Mortally): Promise<void> {
  const interruption = new AbortController();
  let clockMs = 0;
  let isSettling = false;
  const calls = new ServerCalls({
    url: "http://server",
    key: plan.key,
    fetch: (...parameters) => mortally(() => plan.fetch(...parameters)),
    async wait(ms) {
      clockMs += ms;
      await nextTurn();
    },
    clockMs: () => clockMs,
    random: plan.random,
    patienceMs: () => (isSettling && !plan.isPatient ? 0 : Infinity),
    warn: () => undefined,
  });
  const spool = await Spool.open(openRemoteTarget(calls), folderOf(plan.disk, mortally), {
    bytesMax: 3000,
    warn: () => undefined,
  });
  const { steps, loadTestId } = plan;
  const following = plan.files.map((file) =>
    followResults(
      {
        loadTest: { id: loadTestId, name: "Run" },
        name: "a.jtl",
        decodeOptions: { timeZone: "UTC" },
        open: async () => file.open(),
        stillMs: Infinity,
      },
      {
        target: spool,
        formats: FORMATS,
        now: () => 1_800_000_000_000,
        clockMs: () => clockMs,
        async wait(ms) {
          clockMs += ms;
          await nextTurn();
          const step = steps.shift();
          if (step === undefined) interruption.abort();
          else step();
        },
        interrupted: interruption.signal,
        warn: () => undefined,
        report: async () => {},
      },
    ),
  );
  await Promise.allSettled(following);
  isSettling = true;
  await spool.settle().catch(() => undefined);
}

function folderOf(disk: Map<string, Uint8Array>, mortally: Mortally): SpoolFolder {
  return {
    place: "memory",
    list: async () =>
      [...disk]
        .map(([name, content]) => ({ name, sizeBytes: content.length }))
        .toSorted((left, right) => (left.name < right.name ? -1 : 1)),
    put: (name, content) => mortally(async () => void disk.set(name, content)),
    read: async (name) => {
      const content = disk.get(name);
      return content && Uint8Array.from(content);
    },
    remove: (name) => mortally(async () => void disk.delete(name)),
    putAside: (name) => mortally(async () => void disk.delete(name)),
  };
}
