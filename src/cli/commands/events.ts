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
      const rows = events.map(({ at, until, id: event, author = "-", endpoint, text }) => [
        until === undefined ? at : `${at} to ${until}`,
        event,
        printable(author),
        printable(endpoint === undefined ? text : `${endpoint}: ${text}`),
      ]);
      const head = ["TIME", "ID", "AUTHOR", "TEXT"];
      const table = rows.length === 0 ? "no events\n" : formatTable([head, ...rows]);
      await context.writeOut(options.json ? jsonLine(events) : table);
    }),
  );
  withLocation(
    command
      .command("add")
      .description(
        "Adds an event or a note to a run and prints its id. The same again changes nothing.",
      )
      .argument("<id>", "the run")
      .argument("<text>", "what happened")
      .addOption(flag("--at <time>", "when: ISO 8601 with its zone, or UNIX (default: now)"))
      .addOption(flag("--until <time>", "its end (default: it has none)"))
      .addOption(flag("--endpoint <label>", "the endpoint that it is about (default: the run)")),
  ).action((id: string, text: string, options: LocationOptions & EventOptions) =>
    run(async () => {
      await using api = await openApi(options, context);
      const event = await api.ask("addEvent", { id }, { text, ...toldBy(options) });
      await context.writeOut(`${event.id}\n`);
    }),
  );
  withLocation(
    command
      .command("edit")
      .description("Changes an event of a run; what is not given stays. An empty value removes.")
      .argument("<id>", "the run")
      .argument("<event>", "id of the event")
      .addOption(flag("--text <text>", "what happened"))
      .addOption(flag("--at <time>", "when"))
      .addOption(flag("--until <time>", "its end"))
      .addOption(flag("--endpoint <label>", "the endpoint that it is about")),
  ).action((id: string, event: string, options: LocationOptions & EventOptions) =>
    run(async () => {
      await using api = await openApi(options, context);
      const { text, until, endpoint } = options;
      await api.ask(
        "changeEvent",
        { id, event },
        {
          text,
          ...toldBy(options),
          ...(until === "" && { until: null }),
          ...(endpoint === "" && { endpoint: null }),
        },
      );
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

interface EventOptions {
  readonly text?: string;
  readonly at?: string;
  readonly until?: string;
  readonly endpoint?: string;
}

function toldBy({ at, until, endpoint }: EventOptions) {
  return { at: isoTime(at), until: isoTime(until), endpoint: endpoint || undefined };
}

function isoTime(time = ""): string | undefined {
  return time === "" ? undefined : new Date(parseInstant(time)).toISOString();
}
