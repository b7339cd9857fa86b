import type { Command } from "commander";
import { resolveHttpSettings } from "../../http/settings.ts";
import type { CommandContext, DefineCommand } from "../command-context.ts";
import { flag } from "../flags.ts";
import { formatTable } from "../output/table.ts";
import { dataDirectory } from "../targets/store-location.ts";
import { type ServeOptions, serveRequestOf, withServeFlags } from "./serve.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  withServeFlags(command)
    .description(
      "Prints the settings that `serve` would use with the same flags and environment: every setting and " +
        "limit, its value, and its origin.",
    )
    .addOption(flag("--json", "write JSON"))
    .addHelpText("after", EXAMPLES)
    .action(() => run(() => printSettings(command, context)));
};

const EXAMPLES = `
Examples:
  tachograph config
  TACHOGRAPH_UPLOADS_MAX=4 tachograph config --json
  tachograph config --stall-ms 60000
`;

interface Setting {
  readonly name: string;
  /** `null` if unset. */
  readonly value: unknown;
  readonly from: "default" | "environment" | "command line";
  readonly flag: string;
  readonly variable: string | undefined;
  readonly description: string;
}

/** Throws `bad-setting`. */
async function printSettings(command: Command, context: CommandContext): Promise<void> {
  const options: ServeOptions & { readonly json?: true } = command.opts();
  const { http, isDemo, isReadOnly } = serveRequestOf(options);
  const values: Readonly<Record<string, unknown>> = {
    ...resolveHttpSettings(http),
    // As written.
    ...options,
    demo: isDemo,
    readOnly: isReadOnly,
    // These hold secrets.
    notify: options.notify.map((_, index) => `address ${index + 1}`),
    notifySecret: options.notifySecret === undefined ? undefined : "set",
    postgres: options.postgres?.replace(/^[^@].*/s, "set"),
    data: dataDirectory(options.data, context.environment),
  };
  const settings = command.options
    .filter((option) => option.attributeName() !== "json")
    .map((option): Setting => {
      const name = option.attributeName();
      return {
        name,
        value: values[name] ?? null,
        from: sourceOf(command.getOptionValueSource(name)),
        flag: option.long ?? "",
        variable: option.envVar,
        description: option.description,
      };
    });
  const text = options.json ? `${JSON.stringify(settings, null, 2)}\n` : tableOf(settings);
  await context.writeOut(text);
}

function sourceOf(source: unknown): Setting["from"] {
  if (source === "env") return "environment";
  return source === "cli" ? "command line" : "default";
}

function tableOf(settings: readonly Setting[]): string {
  const rows = settings.map((setting) => [
    setting.flag,
    textOf(setting.value),
    setting.from,
    setting.description,
  ]);
  return `${formatTable(rows)}\nAs environment variables: --base-path is TACHOGRAPH_BASE_PATH, and so on.\n`;
}

function textOf(value: unknown): string {
  if (value === null) return "none";
  if (!Array.isArray(value)) return typeof value === "string" ? value : JSON.stringify(value);
  return value.length === 0 ? "none" : value.join(",");
}
