import { type Command, InvalidArgumentError, Option } from "commander";

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

/** The option that almost every command has. */
export function dataFlag(): Option {
  return flag("--data <dir>", "data directory (default: ~/.local/share/tachograph)");
}

/** The flags of `PlaceOptions`: where the load tests are. */
export function withPlace(command: Command): Command {
  return command
    .addOption(dataFlag())
    .addOption(flag("--url <url>", "the server at this address instead"))
    .addOption(flag("--key <key>", "key for it"));
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
