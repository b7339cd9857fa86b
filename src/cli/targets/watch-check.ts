import { setTimeout as sleep } from "node:timers/promises";
import { openApiReader } from "../../analysis/api-reader.ts";
import type { CheckedLimit, Limit } from "../../analysis/check/limit.ts";
import { recentParts, watchRun } from "../../analysis/check/watch-run.ts";
import { checkThresholds } from "../../analysis/thresholds/check-thresholds.ts";
import { UserError } from "../../model/errors.ts";
import type { CommandContext } from "../command-context.ts";
import { findingOf } from "../output/check-words.ts";
import { printable } from "../output/table.ts";
import { type LocationOptions, openApi } from "./opened-store.ts";
import { partOf, type RampOptions, type SelectionOptions } from "./selection.ts";

export interface StopOptions {
  readonly stopCommand?: string;
  readonly stopPid?: number;
}

type WatchOptions = LocationOptions & SelectionOptions & RampOptions & StopOptions;

/**
 * Watches limits over windows until the run is over, or until one breaks: then ends the load and returns what broke. Throws what a
 * check throws.
 */
export async function watchLimits(
  id: string,
  limits: readonly Limit[],
  options: WatchOptions,
  context: CommandContext,
): Promise<CheckedLimit | undefined> {
  const { now, interrupted, load } = context;
  const { stopPid } = options;
  const say = (words: string): void =>
    context.writeError(`${new Date(now()).toISOString().slice(11, 19)} UTC ${words}\n`);
  const later = { ...partOf(id, options), skipStartSeconds: 0, skipEndSeconds: 0 };
  const { skipStartSeconds } = partOf(id, options);
  const over = limits.filter(({ window }) => window !== undefined);
  await using api = await openApi(options, context);
  const reader = openApiReader(api);
  const broken = await watchRun({
    readRun: () => api.ask("getLoadTest", { id }).catch(absentOrThrow),
    async check({ from, until }, checkedUntil) {
      const checked: CheckedLimit[] = [];
      const run = { from: from + skipStartSeconds, until };
      if (run.from >= until) return checked;
      for (const part of recentParts(over, run, checkedUntil)) {
        const query = {
          later: { ...later, range: part.range },
          base: undefined,
          history: undefined,
          limits: part.limits,
        };
        await checkThresholds(reader, query, (each) => void checked.push(each));
      }
      return checked;
    },
    warn: (checked) => say(`warning: ${wordsOf(checked)}`),
    isLoadRunning: stopPid === undefined ? undefined : () => load.isRunning(stopPid),
    now,
    wait: (ms) => sleep(ms, undefined, { signal: interrupted }).catch(() => undefined),
    interrupted,
  });
  if (broken === undefined) return undefined;
  say(`broken: ${wordsOf(broken)}`);
  await stopLoad(options, context);
  return broken;
}

async function stopLoad({ stopCommand, stopPid }: StopOptions, context: CommandContext) {
  const { load } = context;
  const [ofPid, ofCommand] = [
    stopPid !== undefined && load.isRunning(stopPid) ? await load.interrupt(stopPid) : undefined,
    stopCommand === undefined ? undefined : await load.runCommand(stopCommand),
  ];
  if (ofPid !== undefined) context.writeError(`--stop-pid ${stopPid}: ${ofPid}\n`);
  if (ofCommand !== undefined) context.writeError(`--stop-command: ${ofCommand}\n`);
}

function wordsOf(checked: CheckedLimit): string {
  return `${printable(checked.limit.text)}: ${findingOf(checked)}`;
}

function absentOrThrow(error: unknown): undefined {
  if (error instanceof UserError && error.code === "unknown-load-test") return undefined;
  throw error;
}
