import type { Command } from "commander";
import { FREE_BYTES_MIN } from "../model/free-bytes.ts";
import { LABELS_MAX } from "../model/label.ts";
import { flag, list, switchFlag, wholeNumber, withPlace } from "./flags.ts";
import type { ImportOptions } from "./import.ts";
import type { Run } from "./program.ts";
import type { Shell } from "./shell.ts";

export function addImportCommand(program: Command, shell: Shell, run: Run): void {
  const command = program
    .command("import")
    .summary("load result files into a load test")
    .description(
      "Loads result files of load tools into one load test. The kind of a file is found by its " +
        "content; it may be compressed with gzip or zstd. The same file again changes nothing. " +
        "With --follow a file is read while a tool writes it, and need not be there yet.",
    )
    .argument("<file...>", "result files; - is standard input")
    .addOption(flag("--id <id>", "load test to load into (default: a new one)"))
    .addOption(flag("--name <text>", "name of a new load test (default: name of its first file)"))
    .addOption(flag("--format <name>", "format of the files (default: found by content)"))
    .addOption(
      flag("--timezone <zone>", "zone of timestamps written without one (default: this machine's)"),
    )
    .addOption(
      flag("--started-at <time>", "start of the run, for files that tell only the time since then"),
    )
    .addOption(
      flag("--label <template>", "labels, with fields of the source in braces: '{method} {url}'"),
    )
    .addOption(
      switchFlag(
        "--group-urls",
        "fold ids in labels that are URLs, and values of queries: /users/7 is /users/{id}",
        shell.environment,
      ),
    )
    .addOption(
      flag(
        "--group <list>",
        "paths that are one label, * for a segment, ** for the rest: '/products/*'",
      ).argParser(list),
    )
    .addOption(switchFlag("--follow", "read files while they are written", shell.environment))
    .addOption(
      flag("--still-seconds <n>", "a followed file that does not grow for so long has ended")
        .argParser(wholeNumber(1, 86_400))
        .default(30),
    )
    .addOption(
      flag(
        "--threads <n>",
        "1: decode in the thread that stores, 2: beside it (default: by size)",
      ).argParser(wholeNumber(1, 2)),
    )
    .addOption(switchFlag("--json", "write the report as JSON", shell.environment))
    .addOption(switchFlag("--strict", "exit with 3 where a row was rejected", shell.environment))
    .addOption(
      flag("--labels-max <n>", "most labels of a load test; further ones count under (other)")
        .argParser(wholeNumber(1, Number.MAX_SAFE_INTEGER))
        .default(LABELS_MAX),
    )
    .addOption(
      flag("--free-bytes-min <n>", "bytes of the disk to leave free, at most a twentieth of it")
        .argParser(wholeNumber(0, Number.MAX_SAFE_INTEGER))
        .default(FREE_BYTES_MIN),
    );
  withPlace(command)
    .addOption(
      flag("--spool <dir>", "where followed files keep what cannot be sent (default: in --data)"),
    )
    .addOption(
      flag("--spool-bytes <n>", "most bytes there; then reading waits")
        .argParser(wholeNumber(1, 2 ** 50))
        .default(1024 ** 3),
    )
    .addHelpText("after", EXAMPLES)
    .action((files: string[], options: ImportOptions) =>
      run(async () => (await import("./import.ts")).importCommand(files, options, shell)),
    );
}

const EXAMPLES = `
Examples:
  tachograph import results.jtl
  tachograph import --id nightly-7 agent-1.jtl.gz agent-2.jtl.gz
  tachograph import --id nightly-7 --timezone Europe/Berlin results.csv
  tachograph import --started-at 2026-11-21T03:43:30Z --label 'GET /cart' hey.csv
  tachograph import --group-urls --group '/products/*,/static/**' k6.csv
  tachograph import --id nightly-7 --follow results.jtl
  tachograph import --url https://results.example.org --id nightly-7 --follow results.jtl
  k6 run --out json=/dev/stdout --quiet script.js | tachograph import - --id smoke --json
`;
