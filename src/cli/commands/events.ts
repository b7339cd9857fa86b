import { parseInstant } from "../../import/decode-settings.ts";
import type { DefineCommand } from "../command-context.ts";
import { flag, withLocation } from "../flags.ts";
import { formatTable, jsonLine, printable } from "../output/table.ts";
import { openApi, type LocationOptions } from "../targets/opened-store.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  command.description("Events of a run, such as deploys, ramps and incidents.");
  withLocation(
    command
      .command("list")
      .description("Prints the events of a run.")
      .argument("<id>", "the run")
      .addOption(flag("--json", "write JSON")),
  ).action((id: string, options: LocationOptions) =>
    run(async () => {
      await using api = await openApi(options, context);
      const events = await api.ask("getEvents", { id });
      const rows = events.map(({ at, text, id: event }) => [at, event, printable(text)]);
      const table =
        rows.length === 0 ? "no events\n" : formatTable([["TIME", "ID", "TEXT"], ...rows]);
      await context.writeOut(options.json ? jsonLine(events) : table);
    }),
  );
  withLocation(
    command
      .command("add")
      .description(
        "Adds an event to a run and prints its id. The same time and text again change nothing.",
      )
      .argument("<id>", "the run")
      .argument("<text>", "what happened")
      .addOption(flag("--at <time>", "when: ISO 8601 with its zone, or UNIX (default: now)")),
  ).action((id: string, text: string, options: LocationOptions & { readonly at?: string }) =>
    run(async () => {
      await using api = await openApi(options, context);
      const { at: time } = options;
      const at = time === undefined ? undefined : new Date(parseInstant(time)).toISOString();
      const event = await api.ask("addEvent", { id }, { text, at });
      await context.writeOut(`${event.id}\n`);
    }),
  );
  withLocation(
    command
      .command("remove")
      .description("Removes an event of a run.")
      .argument("<id>", "the run")
      .argument("<event>", "id of the event"),
  ).action((id: string, event: string, options: LocationOptions) =>
    run(async () => {
      await using api = await openApi(options, context);
      await api.ask("removeEvent", { id, event });
    }),
  );
};
