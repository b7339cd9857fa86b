import type { Command } from "commander";
import { withPlace, withRamps, withSelection } from "./flags.ts";
import type { Run } from "./program.ts";
import type { Shell } from "./shell.ts";

export function addReportCommand(program: Command, shell: Shell, run: Run): void {
  withPlace(withRamps(withSelection(program.command("report"))))
    .summary("write a load test as one file to hand over")
    .description(
      "Writes figures, charts and tables of a load test into one HTML file, which opens in a browser\n" +
        "from a disk and asks for nothing: docs/report.md.",
    )
    .argument("<id>", "load test")
    .requiredOption("-o, --output <file>", "file to write; - is standard output")
    .addHelpText("after", EXAMPLES)
    .action((id: string, options) =>
      run(async () => {
        const version = program.version() ?? "";
        return (await import("./report.ts")).reportCommand(id, { ...options, version }, shell);
      }),
    );
}

const EXAMPLES = `
Examples:
  tachograph report release-42 -o report.html
  tachograph report release-42 --filter /checkout --skip-start 60s -o checkout.html
`;
