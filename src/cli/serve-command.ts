import type { Command } from "commander";
import { dataDirectory } from "./data-directory.ts";
import { EXIT } from "./exit-codes.ts";
import { dataFlag, flag, list, switchFlag, wholeNumber } from "./flags.ts";
import type { Retention } from "../operations/prune-load-tests.ts";
import type { Run } from "./program.ts";
import { keepFlags } from "./retention-flags.ts";
import type { ServeWish, Shell } from "./shell.ts";

type ServeOptions = ServeWish["http"] &
  Retention & { readonly data?: string; readonly demo?: true };

export function addServeCommand(program: Command, shell: Shell, run: Run): void {
  const serve = program
    .command("serve")
    .summary("serve the load tests over HTTP")
    .description("Serves GET /Api/Metrics and the operations around it until it is stopped.")
    .addOption(flag("--host <address>", "address to listen on").default("127.0.0.1"))
    .addOption(
      flag("--port <number>", "port to listen on; 0 takes a free one")
        .argParser(wholeNumber(0, 65_535))
        .default(8013),
    )
    .addOption(flag("--base-path <path>", "path that everything lives under").default("/"))
    .addOption(
      flag("--allowed-hosts <list>", "further host names of requests; * is any")
        .argParser(list)
        .default([], "none"),
    )
    .addOption(
      flag("--cors-origins <list>", "origins whose pages may read answers")
        .argParser(list)
        .default([], "none"),
    )
    .addOption(
      flag("--key-headers <list>", "headers that may carry the key besides X-Service-Auth")
        .argParser(list)
        .default([], "none"),
    );
  for (const keep of keepFlags()) serve.addOption(keep);
  serve
    .addOption(
      flag(
        "--write-bytes-max <bytes>",
        "longest body of line protocol, as sent and inflated (default: 25000000)",
      ).argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER)),
    )
    .addOption(
      switchFlag("--demo", "bring a recorded load test and a key to read it", shell.environment),
    )
    .addOption(dataFlag())
    .addHelpText("after", EXAMPLES)
    .action(({ data, demo, keepDays, keepTests, ...http }: ServeOptions) =>
      run(async () => {
        const directory = dataDirectory(data, shell.environment);
        const retention = { keepDays, keepTests };
        await shell.serve({ directory, isDemo: demo === true, retention, http });
        return EXIT.done;
      }),
    );
}

const EXAMPLES = `
Examples:
  tachograph serve
  tachograph serve --demo --port 0
  tachograph serve --host 0.0.0.0 --allowed-hosts metrics.example.org --base-path /load-tests
  tachograph serve --keep-days 90 --keep-tests 500
  tachograph serve --key-headers X-Api-Key --cors-origins https://grafana.example.org
`;
