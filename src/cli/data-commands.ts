import { SORT_COLUMNS } from "../operations/sort-columns.ts";
import type { Command } from "commander";
import {
  flag,
  switchFlag,
  wholeNumber,
  withPlace,
  withRamps,
  withSelection,
  withStore,
} from "./flags.ts";
import type { Run } from "./program.ts";
import type { Shell } from "./shell.ts";

/** Commands that read the data back. */
export function addDataCommands(program: Command, shell: Shell, run: Run): void {
  withPlace(withSelection(program.command("metrics")))
    .summary("print what GET /Api/Metrics answers")
    .description("Prints the metrics of a load test, exactly as GET /Api/Metrics answers them.")
    .argument("<id>", "load test")
    // TACHOGRAPH_FORMAT is about the files of an import.
    .addOption(flag("--format <name>", "csv, xy or default").env("TACHOGRAPH_METRICS_FORMAT"))
    .addOption(
      flag("--resolution <seconds>", "seconds merged into one point").argParser(
        wholeNumber(1, 2 ** 32 - 1),
      ),
    )
    .addHelpText("after", METRICS_EXAMPLES)
    .action((id: string, options) =>
      run(async () => (await import("./metrics.ts")).metricsCommand(id, options, shell)),
    );
  withPlace(withRamps(withSelection(program.command("summary"))))
    .summary("print counts, response times and throughput")
    .description(
      "Prints the figures of a load test, overall and by endpoint, and below them what stands out: a " +
        "step of response times, a burst of failures.",
    )
    .argument("<id>", "load test")
    .addOption(
      flag("--apdex-ms <ms>", "show the Apdex for this response time").argParser(
        wholeNumber(1, 86_400_000),
      ),
    )
    .addOption(
      flag("--limit <number>", "list at most so many endpoints").argParser(wholeNumber(1, 10_000)),
    )
    .addOption(
      flag("--sort <figure>", "list them by this figure, the largest first; label: by label")
        .choices(SORT_COLUMNS)
        .default("label"),
    )
    .addOption(switchFlag("--json", "write JSON", shell.environment))
    .action((id: string, options) =>
      run(async () => (await import("./summary.ts")).summaryCommand(id, options, shell)),
    );
  withPlace(withSelection(program.command("failures")))
    .summary("print why requests failed")
    .description("Prints the failed requests of a load test by endpoint, code and message.")
    .argument("<id>", "load test")
    .addOption(switchFlag("--json", "write JSON", shell.environment))
    .action((id: string, options) =>
      run(async () => (await import("./failures.ts")).failuresCommand(id, options, shell)),
    );
  withStore(program.command("verify"))
    .summary("read the whole store back and report damage")
    .description(
      "Checks every stored block against its checksum. Exit code 1 where any is damaged.",
    )
    .action((options) =>
      run(async () => (await import("./verify.ts")).verifyCommand(options, shell)),
    );
  withStore(program.command("backup"))
    .summary("write a copy of the store while it is in use")
    .description("Writes what the store holds now into a new file. docs/backup.md says more.")
    .argument("<file>", "file to write; none of this name may be there")
    .action((file: string, options) =>
      run(async () => (await import("./backup.ts")).backupCommand(file, options, shell)),
    );
  withStore(program.command("restore"))
    .summary("make a store of a backup")
    .description("Reads a backup back, and makes a store of it where there is none yet.")
    .argument("<file>", "what `backup` has written")
    .action((file: string, options) =>
      run(async () => (await import("./backup.ts")).restoreCommand(file, options, shell)),
    );
}

const METRICS_EXAMPLES = `
Examples:
  tachograph metrics release-42 --filter . --format csv
  tachograph metrics release-42 --hash $(printf 'GET /cart' | sha1sum | cut -c1-40)
  tachograph metrics release-42 --filter /pay --resolution 60
`;
