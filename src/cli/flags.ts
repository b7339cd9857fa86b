import { type Command, InvalidArgumentError, Option } from "commander";
import { checkProject } from "../model/id.ts";
import { badParameter } from "../model/errors.ts";
import { shareOf } from "../model/quality/row-quality.ts";
import { parseInstant } from "../import/decode-settings.ts";
import type { CommandContext } from "./command-context.ts";
import {
  isSelectorMistake,
  type MeasureSelector,
  parseMeasureSelector,
  type TagMatch,
} from "../model/measures/measure-selector.ts";
import { conditionOf } from "../series/merge-all-series.ts";

/** An option with an environment variable: `TACHOGRAPH_` plus its name. */
export function flag(flags: string, description: string): Option {
  const option = new Option(flags, description);
  const name = option.long?.replace(/^--/, "").replaceAll("-", "_").toUpperCase();
  return option.env(`TACHOGRAPH_${name}`);
}

export function addFlags(command: Command, flags: readonly Option[]): Command {
  for (const each of flags) command.addOption(each);
  return command;
}

/** The values of an option that may be given several times. */
export function repeated(text: string, earlier: readonly string[] | undefined): string[] {
  return [...(earlier ?? []), text];
}

/** Without an environment variable: it would be one value. */
export function failIfFlag(description: string): Option {
  return new Option("--fail-if <limit>", description).argParser(repeated);
}

/** Of Linux, with 64 bits. */
const PID_MAX = 4_194_304;

/** What ends the load when a threshold over a window breaks. */
export function stopFlags(): readonly Option[] {
  return [
    flag("--stop-command <command>", "what a shell runs when a threshold over a window breaks"),
    flag("--stop-pid <pid>", "process that is interrupted then, such as the load tool").argParser(
      wholeNumber(1, PID_MAX),
    ),
  ];
}

const SAYS_NO: ReadonlySet<string | undefined> = new Set(["", "0", "false", "no", "off"]);

/** Ignores environment variables that say no to a flag without a value: commander takes even `false` for a yes. */
export function ignoreNo(command: Command, environment: CommandContext["environment"]): void {
  for (const option of command.options) {
    const isSwitch = !option.required && !option.optional;
    const value = environment[option.envVar ?? ""]?.toLowerCase();
    if (isSwitch && SAYS_NO.has(value)) delete option.envVar;
  }
  for (const below of command.commands) ignoreNo(below, environment);
}

/** Adds the flags of a store. Given as a flag, it wins over another store or a server that the environment names. */
export function withStore(command: Command): Command {
  return command
    .addOption(flag("--data <dir>", "data directory (default: ~/.local/share/tachograph)"))
    .addOption(flag("--postgres <url>", "PostgreSQL database instead, or @FILE with its URL"))
    .hook("preAction", (_, called) => {
      const isFromFlag = (name: string): boolean => called.getOptionValueSource(name) === "cli";
      const [data, postgres] = [isFromFlag("data"), isFromFlag("postgres")];
      if (data && postgres) throw badParameter("got --data and --postgres: leave out one of them");
      if (data) called.setOptionValue("postgres", undefined);
      const isGiven = data || postgres;
      if (!isGiven || called.getOptionValueSource("url") !== "env") return;
      called.setOptionValue("url", undefined);
    });
}

/** `0.1%` as 0.001. Throws `InvalidArgumentError`. */
export function percentage(text: string): number {
  const share = shareOf(text);
  if (share === undefined) throw new InvalidArgumentError("expected a percentage such as 0.1%");
  return share;
}

/** Adds the project to work in, to a command on a store. The general help describes it. */
export function withProject(command: Command): Command {
  return command.addOption(
    flag("--project <name>", "project in that store").argParser(checkProject).hideHelp(),
  );
}

/** Adds the flags of `PlaceOptions`: a store, maybe a project in it, or a server. */
export function withLocation(command: Command): Command {
  return withProject(withStore(command))
    .addOption(flag("--url <url>", "URL of a Tachograph server"))
    .addOption(flag("--key <key>", "access key for that server"))
    .hook("preAction", (_, called) => {
      requireUrlForKey(called);
      requireNoProject(called);
    });
}

/** A server knows the project by the key. */
function requireNoProject(called: Command): void {
  const isGiven = called.getOptionValueSource("project") === "cli";
  if (!isGiven || called.getOptionValue("url") === undefined) return;
  throw badParameter(
    "got --project and a server: its keys are of one project each; leave out --project",
  );
}

/** A key without a URL is an error: a local store would be used silently. One of the environment yields to a flag for a store. */
function requireUrlForKey(called: Command): void {
  const { url, key } = called.opts<{ readonly url?: string; readonly key?: string }>();
  if (key === undefined || (url !== undefined && url !== "")) return;
  const isFromFlag = (name: string): boolean => called.getOptionValueSource(name) === "cli";
  if (!isFromFlag("key") && (isFromFlag("data") || isFromFlag("postgres"))) return;
  throw badParameter(
    "got a key but no URL of a server: set --url or TACHOGRAPH_URL, or leave out --key and " +
      "TACHOGRAPH_KEY to use a local data directory",
  );
}

export function withEndpoints(command: Command): Command {
  return withFacets(
    command
      .addOption(flag("--filter <text>", "endpoints whose label contains this text"))
      .addOption(flag("--hash <hex>", "the endpoint with this SHA-1"))
      .addOption(
        flag("--count <what>", "count requests (default), or transactions alone").choices([
          "requests",
          "transactions",
        ]),
      ),
  );
}

export function withFacets(command: Command): Command {
  return command
    .addOption(whereFlag())
    .addOption(flag("--by <list>", "split endpoints by these facets: region,host").argParser(list));
}

export function whereFlag(): Option {
  const what =
    "requests with this facet, or name!:value without it; several: of a name, any of them";
  return flag("--where <name:value>", what).argParser(conditions);
}

/** The value of each flag is one condition, whatever is in it. */
function conditions(text: string, earlier: readonly TagMatch[] = []): readonly TagMatch[] {
  const condition = conditionOf(text);
  if (condition !== undefined) return [...earlier, condition];
  throw new InvalidArgumentError("Expected a facet and its value, such as scenario:browse.");
}

export function withSelection(command: Command): Command {
  return withEndpoints(command)
    .addOption(flag("--from <time>", "from this time: ISO 8601 or UNIX").argParser(instant))
    .addOption(flag("--until <time>", "before this time").argParser(instant));
}

export function withRamps(command: Command): Command {
  const [start, end] = ["--skip-start <duration>", "--skip-end <duration>"];
  return command
    .addOption(flag(start, "skip this much at the start: 90, 90s, 5m").argParser(duration))
    .addOption(flag(end, "skip this much at the end").argParser(duration));
}

/** Parses a UNIX second or ISO 8601 with zone; fractions are dropped. */
export function instant(text: string): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= 2 ** 32) return Number(text);
  try {
    return Math.floor(parseInstant(text) / 1000);
  } catch {
    throw new InvalidArgumentError(
      "Expected UNIX seconds, or a time with its zone such as 2026-11-21T10:19:03Z.",
    );
  }
}

/** Parses a selector of measures. */
export function measureSelector(text: string): MeasureSelector {
  const parsed = parseMeasureSelector(text);
  if (!isSelectorMistake(parsed)) return parsed;
  throw new InvalidArgumentError(`At character ${parsed.at + 1}: ${parsed.message}.`);
}

const DURATION_SECONDS_MAX = 1_000_000_000;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3600 };

/** Parses whole seconds, or a number with a unit. */
export function duration(text: string): number {
  const [, number = "", unit = "s"] = /^(\d{1,10})(s|m|min|h)?$/.exec(text) ?? [];
  const seconds = Number(number) * (UNIT_SECONDS[unit] ?? 1);
  if (number !== "" && seconds <= DURATION_SECONDS_MAX) return seconds;
  throw new InvalidArgumentError("Expected seconds, or a duration such as 90s, 5m or 1h.");
}

/** Parses comma-separated values; repeated flags accumulate. */
export function list(text: string, earlier: readonly string[] | undefined): string[] {
  return [...(earlier ?? []), ...text.split(",").map((part) => part.trim())];
}

export function listFlag(flags: string, description: string): Option {
  return flag(flags, description).argParser(list).default([], "none");
}

export function wholeNumber(lowest: number, highest: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
    if (value !== undefined && value >= lowest && value <= highest) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${lowest} to ${highest}.`);
  };
}

/** Flags of retention, for `serve` and `tests prune`. */
export function keepFlags(): readonly Option[] {
  return [
    flag("--keep-days <number>", "delete runs without data for this many days").argParser(
      wholeNumber(1, 36_500),
    ),
    flag("--keep-tests <number>", "keep only this many runs, those with the latest data").argParser(
      wholeNumber(1, 1_000_000),
    ),
  ];
}
