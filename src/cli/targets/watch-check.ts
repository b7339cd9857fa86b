import { openApiReader } from "../../analysis/api-reader.ts";
import { FirstRequest } from "../../analysis/check/first-request.ts";
import type { CheckedLimit, Limit } from "../../analysis/check/limit.ts";
import { recentParts, watchRun } from "../../analysis/check/watch-run.ts";
import { checkThresholds } from "../../analysis/thresholds/check-thresholds.ts";
import type { CommandContext } from "../command-context.ts";
import { findingOf } from "../output/check-words.ts";
import { printable } from "../output/table.ts";
import { type LocationOptions, openApi } from "./opened-store.ts";
import { RunNews } from "./run-news.ts";
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
  const { skipStartSeconds, skipEndSeconds, range: asked } = partOf(id, options);
  const over = limits.filter(({ window }) => window !== undefined);
  await using api = await openApi(options, context);
  const reader = openApiReader(api);
  const ended = new AbortController();
  const until = AbortSignal.any([interrupted, ended.signal]);
  const isServed = options.url !== undefined;
  const news = new RunNews({ api, id, isServed, now, interrupted: until });
  const first = new FirstRequest();
  const broken = await watchRun({
    readRun: () => news.read(),
    async check({ from: begin, until: end }, checkedUntil) {
      const checked: CheckedLimit[] = [];
      const from = await first.secondOf(reader, { id, from: begin });
      const run = {
        from: Math.max(from, begin + skipStartSeconds, asked?.from ?? 0),
        // What comes last may be the end that does not count.
        until: Math.min(end - skipEndSeconds, asked?.until ?? Infinity),
      };
      if (run.from >= run.until) return checked;
      for (const part of recentParts(over, run, checkedUntil - skipEndSeconds)) {
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
    wait: (ms) => news.wait(ms),
    interrupted,
  }).finally(() => ended.abort());
  if (broken === undefined) return undefined;
  say(`broken: ${wordsOf(broken)}`);
  await stopLoad(options, context);
  return broken;
}

/** Does nothing if the process has ended: a watcher that was killed may have stopped it. */
async function stopLoad({ stopCommand, stopPid }: StopOptions, context: CommandContext) {
  const { load } = context;
  if (stopPid !== undefined && !load.isRunning(stopPid)) return;
  const [ofPid, ofCommand] = [
    stopPid === undefined ? undefined : await load.interrupt(stopPid),
    stopCommand === undefined ? undefined : await load.runCommand(stopCommand),
  ];
  if (ofPid !== undefined) context.writeError(`--stop-pid ${stopPid}: ${ofPid}\n`);
  if (ofCommand !== undefined) context.writeError(`--stop-command: ${ofCommand}\n`);
}

function wordsOf(checked: CheckedLimit): string {
  return `${printable(checked.limit.text)}: ${findingOf(checked)}`;
}
