import type { Command } from "commander";
import { flag, list, switchFlag, wholeNumber, withPlace } from "./flags.ts";
import { EXPIRY_DAYS_MAX } from "../model/access-key.ts";
import type { Run } from "./program.ts";
import type { Shell } from "./shell.ts";

export function addKeysCommands(program: Command, shell: Shell, run: Run): void {
  const keys = program
    .command("keys")
    .summary("make, list and revoke access keys")
    .description("Access keys are sent in the header X-Service-Auth. Only their digests are kept.")
    .addHelpText("after", EXAMPLES);
  withPlace(
    keys
      .command("create")
      .description("Makes a key and prints it, this once, on standard output.")
      .requiredOption("--name <text>", "name of the key, such as who uses it")
      .addOption(flag("--scope <list>", "what it may do: read, write, admin").argParser(list))
      .addOption(
        flag("--expires-days <days>", "days until it expires (default: never)").argParser(
          wholeNumber(1, EXPIRY_DAYS_MAX),
        ),
      ),
  ).action((options) =>
    run(async () => (await import("./keys.ts")).createKeyCommand(options, shell)),
  );
  withPlace(
    keys
      .command("list")
      .description("Prints names, scopes and times of all keys.")
      .addOption(switchFlag("--json", "write JSON", shell.environment)),
  ).action((options) =>
    run(async () => (await import("./keys.ts")).listKeysCommand(options, shell)),
  );
  withPlace(
    keys
      .command("revoke")
      .description("Revokes a key at once, also in a server that is running.")
      .argument("<name>"),
  ).action((name: string, options) =>
    run(async () => (await import("./keys.ts")).revokeKeyCommand(name, options, shell)),
  );
}

const EXAMPLES = `
Examples:
  tachograph keys create --name grafana
  KEY=$(tachograph keys create --name ci --scope read,write --expires-days 90)
  tachograph keys revoke grafana
  tachograph keys list --url https://results.example.org --key tgk_...
`;
