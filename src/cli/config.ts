import type { Command, Option } from "commander";
import { dataDirectory } from "./data-directory.ts";
import { EXIT } from "./exit-codes.ts";
import { type ServeOptions, serveWishOf } from "./serve-flags.ts";
import type { Shell } from "./shell.ts";
import { withoutPasswords } from "./store-place.ts";
import { formatTable } from "./table.ts";

interface Setting {
  readonly name: string;
  /** `null` where nothing is said and nothing holds. */
  readonly value: unknown;
  readonly from: "default" | "environment" | "command line";
  readonly flag: string;
  readonly variable: string | undefined;
  readonly description: string;
}

/** Prints the settings that `serve` would have. Throws `bad-setting`. */
export async function configCommand(command: Command, shell: Shell): Promise<number> {
  const options: ServeOptions & { readonly json?: true } = command.opts();
  const { json, ...wished } = options;
  const { http, retention, isDemo, tls } = serveWishOf(wished);
  const data = dataDirectory(wished.data, shell.environment);
  const values: Readonly<Record<string, unknown>> = {
    ...(await shell.resolveHttpSettings(http)),
    // As they were written.
    ...http,
    ...retention,
    demo: isDemo,
    tlsCertificate: tls?.certificateFile,
    tlsKey: tls?.keyFile,
    data,
    clickhouse: wished.clickhouse?.map(withoutPasswords),
  };
  const settings = command.options
    .filter((option) => option.attributeName() !== "json")
    .map((option) => settingOf(command, option, values));
  await shell.writeOut(json === true ? jsonOf(settings) : tableOf(settings));
  return EXIT.done;
}

function settingOf(
  command: Command,
  option: Option,
  values: Readonly<Record<string, unknown>>,
): Setting {
  const name = option.attributeName();
  return {
    name,
    value: values[name] ?? null,
    from: sourceOf(command.getOptionValueSource(name)),
    flag: option.long ?? "",
    variable: option.envVar,
    description: option.description,
  };
}

function sourceOf(source: unknown): Setting["from"] {
  if (source === "env") return "environment";
  return source === "cli" ? "command line" : "default";
}

function jsonOf(settings: readonly Setting[]): string {
  return `${JSON.stringify(settings, null, 2)}\n`;
}

function tableOf(settings: readonly Setting[]): string {
  const rows = settings.map(({ flag, value, from, description }) => [
    flag,
    textOf(value),
    from,
    description,
  ]);
  return `${formatTable(rows)}\nAs environment variables: --base-path is TACHOGRAPH_BASE_PATH, and so on.\n`;
}

function textOf(value: unknown): string {
  if (value === null) return "none";
  if (!Array.isArray(value)) return typeof value === "string" ? value : JSON.stringify(value);
  return value.length === 0 ? "none" : value.join(",");
}
