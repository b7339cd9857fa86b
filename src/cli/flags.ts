import { type Command, InvalidArgumentError, Option } from "commander";
import { UserError } from "../model/errors.ts";
import { parseInstant } from "../import/decode-settings.ts";
import { clickHouseValues } from "./targets/store-place.ts";

/** An option that the environment variable `TACHOGRAPH_` plus its name gives as well. */
export function flag(flags: string, description: string): Option {
  const option = new Option(flags, description);
  const name = option.long?.replace(/^--/, "").replaceAll("-", "_").toUpperCase();
  return option.env(`TACHOGRAPH_${name}`);
}

/**
 * A flag without a value. Its environment variable switches it on unless it says no; the library
 * takes any value, `false` too, for a yes.
 */
export function switchFlag(
  flags: string,
  description: string,
  environment: Readonly<Record<string, string | undefined>>,
): Option {
  const option = flag(flags, description);
  const value = environment[option.envVar ?? ""];
  return SAYS_NO.has(value?.toLowerCase()) ? new Option(flags, description) : option;
}

const SAYS_NO: ReadonlySet<string | undefined> = new Set(["", "0", "false", "no", "off"]);

/** Flags that name the place of load tests; of those given in the same way, the first one counts. */
const PLACES = ["url", "clickhouse", "data"] as const;

/**
 * The flags of `StorePlaceOptions`: where the store is. What is given with the command counts more than
 * what the environment says. Throws `bad-parameter` where two places are given with it.
 */
export function withStore(command: Command): Command {
  return command
    .addOption(flag("--data <dir>", "data directory (default: ~/.local/share/tachograph)"))
    .addOption(
      flag(
        "--clickhouse <place>",
        "ClickHouse instead: URL of a server, once for each; docs/clickhouse.md",
      ).argParser(clickHouseValues),
    )
    .hook("preAction", (_, called) => {
      const given = PLACES.filter((name) => called.getOptionValueSource(name) === "cli");
      if (given.length > 1 && given.includes("clickhouse")) {
        const got = given.map((name) => `--${name}`).join(" and ");
        throw new UserError("bad-parameter", `expected one place of load tests, got ${got}`);
      }
      // A directory can be needed beside a server, for its spool.
      const unsaid = ["url", "clickhouse"].filter(
        (name) => called.getOptionValueSource(name) === "env",
      );
      if (given.length > 0) for (const name of unsaid) called.setOptionValue(name, undefined);
    });
}

/** The flags of `PlaceOptions`: where the load tests are, be it a store or a server. */
export function withPlace(command: Command): Command {
  return withStore(command)
    .addOption(flag("--url <url>", "the server at this address instead"))
    .addOption(flag("--key <key>", "key for it"))
    .hook("preAction", (_, called) => requireUrlForKey(called));
}

/**
 * A key without a URL is an error: the command would quietly work on a local data directory. A key
 * from the environment does not matter where a flag names a local store.
 */
function requireUrlForKey(called: Command): void {
  const { url, key } = called.opts<{ readonly url?: string; readonly key?: string }>();
  if (key === undefined || (url !== undefined && url !== "")) return;
  const isFromFlag = (name: string): boolean => called.getOptionValueSource(name) === "cli";
  if (!isFromFlag("key") && (isFromFlag("data") || isFromFlag("clickhouse"))) return;
  throw new UserError(
    "bad-parameter",
    "got a key but no URL of a server: set --url or TACHOGRAPH_URL, or leave out --key and " +
      "TACHOGRAPH_KEY to use a local data directory",
  );
}

/** The flags of `SelectionOptions`: which endpoints, and which seconds of them. */
export function withSelection(command: Command): Command {
  return command
    .addOption(flag("--filter <text>", "endpoints whose label contains this text"))
    .addOption(flag("--hash <hex>", "the endpoint with this SHA-1"))
    .addOption(flag("--from <time>", "from this time on: ISO 8601 or UNIX").argParser(instant))
    .addOption(flag("--until <time>", "before this time").argParser(instant));
}

/** The flags of `RampOptions`: what is left out of a load test until it runs steadily, and after. */
export function withRamps(command: Command): Command {
  const [start, end] = ["--skip-start <duration>", "--skip-end <duration>"];
  return command
    .addOption(flag(start, "leave out so much at the start: 90, 90s, 5m").argParser(duration))
    .addOption(flag(end, "leave out so much at the end").argParser(duration));
}

/** A UNIX second, or a time as ISO 8601 with its zone, of which the fraction is left out. */
export function instant(text: string): number {
  if (/^\d{1,10}$/.test(text) && Number(text) <= 2 ** 32) return Number(text);
  try {
    return Math.floor(parseInstant(text) / 1000);
  } catch {
    throw new InvalidArgumentError(
      "Expected a UNIX second, or a time with its zone such as 2026-11-21T10:19:03Z.",
    );
  }
}

/** 31 years. */
const DURATION_SECONDS_MAX = 1_000_000_000;
const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, min: 60, h: 3600 };

/** Whole seconds, or a number with a unit. */
export function duration(text: string): number {
  const [, number = "", unit = "s"] = /^(\d{1,10})(s|m|min|h)?$/.exec(text) ?? [];
  const seconds = Number(number) * (UNIT_SECONDS[unit] ?? 1);
  if (number !== "" && seconds <= DURATION_SECONDS_MAX) return seconds;
  throw new InvalidArgumentError("Expected whole seconds, or such as 90s, 5m or 1h.");
}

/** A list in one value, separated by commas; repeated flags add up. */
export function list(text: string, earlier: readonly string[] | undefined): string[] {
  return [...(earlier ?? []), ...text.split(",").map((part) => part.trim())];
}

/** A whole number from `lowest` to `highest`. */
export function wholeNumber(lowest: number, highest: number): (text: string) => number {
  return (text) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : undefined;
    if (value !== undefined && value >= lowest && value <= highest) return value;
    throw new InvalidArgumentError(`Expected a whole number from ${lowest} to ${highest}.`);
  };
}

/** Which load tests stay: of `serve`, and of `tests prune`. */
export function keepFlags(): readonly Option[] {
  return [
    flag("--keep-days <number>", "delete load tests without data for so many days").argParser(
      wholeNumber(1, 36_500),
    ),
    flag("--keep-tests <number>", "delete all load tests but so many").argParser(
      wholeNumber(1, 1_000_000),
    ),
  ];
}
