import { setImmediate } from "node:timers/promises";
import type { Coverage } from "./coverage.ts";
import type { Mutator } from "./mutator.ts";
import type { FuzzTarget } from "./target.ts";

/** An input that takes more of the processor is a failure, or several times that of the clock: other programs may have the processor. */
const RUN_MS_MAX = 2000;
const WAIT_MS_MAX = 10_000;

/** Milliseconds that this process had the processor. */
export function busyMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

export interface Finding {
  readonly input: Uint8Array;
  readonly reason: string;
}

/** Why an input fails; `undefined` if it does not. */
export async function failureOf(
  target: FuzzTarget,
  input: Uint8Array,
): Promise<string | undefined> {
  const [begin, busyBefore] = [performance.now(), busyMs()];
  try {
    await target.run(input);
  } catch (error) {
    return error instanceof Error ? (error.stack ?? error.message) : String(error);
  }
  const [elapsedMs, usedMs] = [performance.now() - begin, busyMs() - busyBefore];
  const isSlow = (elapsedMs > RUN_MS_MAX && usedMs > RUN_MS_MAX) || elapsedMs > WAIT_MS_MAX;
  return isSlow ? `it took ${Math.round(elapsedMs)} ms` : undefined;
}

interface CampaignOptions {
  /** Without it every input is derived from the seeds. */
  readonly coverage?: Coverage;
  readonly isOver: () => boolean;
}

/** Reading the coverage costs more than most inputs. */
const INPUTS_PER_LOOK = 16;

/**
 * Runs inputs until `isOver`, adds those that reach new code to the pool, and yields those that fail.
 */
export async function* campaign(
  target: FuzzTarget,
  mutator: Mutator,
  { coverage, isOver }: CampaignOptions,
): AsyncGenerator<Finding> {
  while (!isOver()) {
    // A decompressor that failed keeps its memory until the event loop turns.
    await setImmediate();
    const inputs = Array.from({ length: INPUTS_PER_LOOK }, () => mutator.next());
    for (const input of inputs) {
      const reason = await failureOf(target, input);
      if (reason !== undefined) yield { input, reason };
    }
    if (coverage !== undefined)
      mutator.pool.push(...(await newlyReaching(target, inputs, coverage)));
  }
}

/** The inputs of the last batch that reach new code. */
async function newlyReaching(
  target: FuzzTarget,
  inputs: readonly Uint8Array[],
  coverage: Coverage,
): Promise<Uint8Array[]> {
  const blocks = coverage.takeNew();
  const reaching: Uint8Array[] = [];
  for (const input of blocks.size === 0 ? [] : inputs) {
    await failureOf(target, input);
    if (coverage.takeAny(blocks)) reaching.push(input);
  }
  return reaching;
}

const SHORTENING_MS = 10_000;

/** A failing input without the bytes that do not affect why it fails. */
export async function shortened(
  target: FuzzTarget,
  { input, reason }: Finding,
): Promise<Uint8Array> {
  const kind = kindOf(reason);
  const endsAt = performance.now() + SHORTENING_MS;
  let shortest = input;
  for (let size = shortest.length >> 1; size > 0; size >>= 1) {
    for (let at = 0; at < shortest.length && performance.now() < endsAt;) {
      const without = Buffer.concat([shortest.subarray(0, at), shortest.subarray(at + size)]);
      const found = await failureOf(target, without);
      if (found !== undefined && kindOf(found) === kind) shortest = without;
      else at += size;
    }
  }
  return shortest;
}

/** Leaves out numbers and quoted texts, which differ between inputs. */
export function kindOf(reason: string): string {
  const [first = "", ...frames] = reason.split("\n");
  const words = first.replaceAll(/[\d"[{].*/g, "");
  return [words, frames.find((frame) => frame.includes("/src/")) ?? ""].join(" ");
}
