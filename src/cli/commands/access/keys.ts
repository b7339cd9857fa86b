import { EXPIRY_DAYS_MAX, type Scope, SCOPES } from "../../../model/access-key.ts";
import { badParameter } from "../../../model/errors.ts";
import type { CommandContext, DefineCommand } from "../../command-context.ts";
import { flag, list, wholeNumber, withLocation } from "../../flags.ts";
import { formatTable, jsonLine, keyTime, printable } from "../../output/table.ts";
import { openApi, type LocationOptions } from "../../targets/opened-store.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  command
    .description(
      "Access keys are sent in the header X-Service-Auth. Only their digests are stored.",
    )
    .addHelpText("after", EXAMPLES);
  withLocation(
    command
      .command("create")
      .description("Creates a key and prints it on standard output. It cannot be shown again.")
      .requiredOption("--name <text>", "name of the key, such as its user")
      .addOption(flag("--scope <list>", "what it may do: read, write, admin").argParser(list))
      .addOption(
        flag("--expires-days <days>", "days until it expires (default: never)").argParser(
          wholeNumber(1, EXPIRY_DAYS_MAX),
        ),
      )
      .addHelpText(
        "after",
        "\nWith --project NAME, the key sees and makes only what is in that project.",
      ),
  ).action((options) => run(() => createKey(options, context)));
  withLocation(
    command
      .command("list")
      .description("Prints names, scopes and times of all keys.")
      .addOption(flag("--json", "write JSON")),
  ).action((options: LocationOptions) => run(() => listKeys(options, context)));
  withLocation(
    command
      .command("revoke")
      .description("Revokes a key immediately, even on a running server.")
      .argument("<name>"),
  ).action((name: string, options: LocationOptions) =>
    run(async () => {
      await using api = await openApi(options, context);
      await api.ask("revokeKey", { name });
    }),
  );
};

const EXAMPLES = `
Examples:
  tachograph keys create --name grafana
  KEY=$(tachograph keys create --name ci --scope read,write --expires-days 90)
  tachograph keys revoke grafana
  tachograph keys list --url https://results.example.org --key tgk_...
`;

/** Prints only the key on standard output, once. */
async function createKey(
  options: LocationOptions & {
    readonly name: string;
    readonly scope?: readonly string[];
    readonly expiresDays?: number;
  },
  context: CommandContext,
): Promise<void> {
  const scopes = (options.scope ?? ["read"]).map(checkScope);
  const { name, expiresDays } = options;
  await using api = await openApi(options, context, { mayCreate: true });
  const { key } = await api.ask("createKey", {}, { name, scopes, expiresDays });
  await context.writeOut(`${key}\n`);
  context.writeError("The key is shown only once: only its digest is stored.\n");
}

async function listKeys(options: LocationOptions, context: CommandContext): Promise<void> {
  await using api = await openApi(options, context);
  const { keys } = await api.ask("listKeys", {});
  if (options.json) {
    return context.writeOut(jsonLine(keys.map(({ current: _current, ...key }) => key)));
  }
  const rows = keys.map((key) => [
    printable(key.name),
    key.scopes.join(","),
    ...[key.createdAt, key.lastUsedAt, key.expiresAt, key.revokedAt].map(keyTime),
  ]);
  const head = ["NAME", "SCOPES", "CREATED", "LAST USED", "EXPIRES", "REVOKED"];
  await context.writeOut(formatTable([head, ...rows]));
}

function checkScope(text: string): Scope {
  const scope = SCOPES.find((known) => known === text);
  if (scope !== undefined) return scope;
  throw badParameter(`unknown scope "${text}": expected one or more of ${SCOPES.join(", ")}`);
}
