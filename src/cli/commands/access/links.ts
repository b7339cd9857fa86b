import { EXPIRY_DAYS_MAX } from "../../../model/access-key.ts";
import type { CommandContext, DefineCommand } from "../../command-context.ts";
import { flag, wholeNumber, withLocation } from "../../flags.ts";
import { formatTable, jsonLine, keyTime, printable } from "../../output/table.ts";
import { openApi, type LocationOptions } from "../../targets/opened-store.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  command
    .description("Links open one run, or one comparison, to readers without a key.")
    .addHelpText("after", EXAMPLES);
  withLocation(
    command
      .command("create")
      .description("Creates a link and prints it on standard output. It cannot be shown again.")
      .argument("<id>", "the run")
      .requiredOption("--name <text>", "name of the link, such as its reader")
      .addOption(flag("--against <id>", "open the comparison with this run"))
      .addOption(flag("--files", "also open its files: originals and attachments"))
      .addOption(
        flag("--expires-days <days>", "days until it expires (default: never)").argParser(
          wholeNumber(1, EXPIRY_DAYS_MAX),
        ),
      ),
  ).action((id: string, options) => run(() => createLink(id, options, context)));
  withLocation(
    command
      .command("list")
      .description("Prints names, runs and times of all links.")
      .addOption(flag("--json", "write JSON")),
  ).action((options) => run(() => listLinks(options, context)));
  withLocation(
    command
      .command("revoke")
      .description("Revokes a link immediately, even on a running server.")
      .argument("<name>"),
  ).action((name: string, options: LocationOptions) =>
    run(async () => {
      await using api = await openApi(options, context);
      await api.ask("revokeLink", { name });
    }),
  );
};

const EXAMPLES = `
Examples:
  tachograph links create release-42 --against release-41 --name review
  tachograph links revoke review
`;

/** Prints only the link on standard output, once. */
async function createLink(
  id: string,
  options: LocationOptions & {
    readonly name: string;
    readonly against?: string;
    readonly files?: true;
    readonly expiresDays?: number;
  },
  context: CommandContext,
): Promise<void> {
  const { url, name, against, files, expiresDays } = options;
  await using api = await openApi(options, context);
  const link = { name, loadTestId: id, base: against, files, expiresDays };
  const { path } = await api.ask("createLink", {}, link);
  await context.writeOut(`${url?.replace(/\/+$/, "") ?? ""}${path}\n`);
  const isWhole = url === undefined ? " Put the address of your server in front." : "";
  context.writeError(`The link is shown only once: only its digest is stored.${isWhole}\n`);
}

async function listLinks(options: LocationOptions, context: CommandContext): Promise<void> {
  await using api = await openApi(options, context);
  const { links } = await api.ask("listLinks", {});
  if (options.json) return context.writeOut(jsonLine(links));
  const rows = links.map((link) => [
    printable(link.name),
    link.loadTestId,
    link.base ?? "-",
    link.files ? "yes" : "no",
    ...[link.createdAt, link.lastUsedAt, link.expiresAt, link.revokedAt].map(keyTime),
  ]);
  const head = ["NAME", "RUN", "BASE", "FILES", "CREATED", "LAST USED", "EXPIRES", "REVOKED"];
  await context.writeOut(formatTable([head, ...rows]));
}
