import { badParameter } from "../../model/errors.ts";
import type { CommandContext } from "../command-context.ts";
import { EXIT } from "../exit-codes.ts";
import { readExpressions } from "../targets/thresholds-file.ts";
import { watchLimits } from "../targets/watch-check.ts";
import { type CheckOptions, checkLimits, reportBroken } from "./check.ts";

/**
 * Follows files, which `follow` does until they end, or its signal says that their writer was told to stop, and which tells when the store is open, and checks the run meanwhile: when a limit
 * over a window breaks, ends the load. Then checks the run as a whole. Returns the exit code of the check, or of `follow` if that is worse. Throws
 * what either throws.
 */
export async function followChecked(
  options: CheckOptions & { readonly id: string; readonly failIf: readonly string[] },
  context: CommandContext,
  follow: (stopped: AbortSignal, onOpened: () => void) => Promise<number>,
): Promise<number> {
  const limits = readExpressions(options.failIf, context);
  if (limits === undefined) return EXIT.unusable;
  const relative = limits.find(({ kind }) => kind !== "value");
  if (relative !== undefined) {
    throw badParameter(
      `--fail-if: "${relative.text}" compares with other runs, which --follow does not: use tachograph check afterwards`,
    );
  }
  const { id } = options;
  const [stopped, followed] = [new AbortController(), new AbortController()];
  const interrupted = AbortSignal.any([context.interrupted, followed.signal]);
  const opened = Promise.withResolvers<void>();
  const following = follow(stopped.signal, opened.resolve).finally(() => followed.abort());
  // A new data directory has nothing to read before.
  await Promise.race([opened.promise, following]);
  const watching = watchLimits(id, limits, options, { ...context, interrupted }).then(
    (broken) => {
      if (broken !== undefined) stopped.abort();
      return broken;
    },
    (error: unknown) => {
      stopped.abort();
      throw error;
    },
  );
  const [watched, code] = await Promise.all([watching, following]);
  if (watched !== undefined) return reportBroken(id, watched, options, context);
  if (code !== EXIT.done) return code;
  const { stopPid: _, stopCommand: __, ...rules } = options;
  return checkLimits(id, rules, context);
}
