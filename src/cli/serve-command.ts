import type { Command } from "commander";
import { dataDirectory } from "./data-directory.ts";
import { EXIT } from "./exit-codes.ts";
import { switchFlag } from "./flags.ts";
import type { Run } from "./program.ts";
import { type ServeOptions, serveWishOf, withServeFlags } from "./serve-flags.ts";
import type { Shell } from "./shell.ts";
import { storePlaceOf } from "./store-place.ts";

export function addServeCommands(program: Command, shell: Shell, run: Run): void {
  withServeFlags(program.command("serve"), shell)
    .summary("serve the load tests over HTTP")
    .description("Serves GET /Api/Metrics and the operations around it until it is stopped.")
    .addHelpText("after", SERVE_EXAMPLES)
    .action((options: ServeOptions) =>
      run(async () => {
        const directory = dataDirectory(options.data, shell.environment);
        const place = storePlaceOf(options, shell.environment);
        await shell.serve({ place, directory, ...serveWishOf(options) });
        return EXIT.done;
      }),
    );
  withServeFlags(program.command("config"), shell)
    .summary("print all settings of a server")
    .description(
      "Prints what `serve` would do with the same flags and in this environment: every setting and " +
        "limit, its value, and where that comes from.",
    )
    .addOption(switchFlag("--json", "write JSON", shell.environment))
    .addHelpText("after", CONFIG_EXAMPLES)
    .action((_options, command: Command) =>
      run(async () => (await import("./config.ts")).configCommand(command, shell)),
    );
}

const SERVE_EXAMPLES = `
Every limit has a flag, too: tachograph config lists them.

Examples:
  tachograph serve
  tachograph serve --demo --port 0
  tachograph serve --host 0.0.0.0 --allowed-hosts metrics.example.org --base-path /load-tests
  tachograph serve --keep-days 90 --keep-tests 500
  tachograph serve --clickhouse http://ch-1:8123 --clickhouse http://ch-2:8123
  tachograph serve --key-headers X-Api-Key --cors-origins https://grafana.example.org
`;

const CONFIG_EXAMPLES = `
Examples:
  tachograph config
  TACHOGRAPH_UPLOADS_MAX=4 tachograph config --json
  tachograph config --stall-ms 60000
`;
