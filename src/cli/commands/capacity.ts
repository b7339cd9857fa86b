import { parametersOf } from "../../analysis/api-reader.ts";
import type { CapacityJson, Limited } from "../../api/findings.ts";
import type { DefineCommand } from "../command-context.ts";
import { withLocation, withSelection, flag } from "../flags.ts";
import { formatMilliseconds } from "../output/format-quantity.ts";
import { formatTable, jsonLine, printable } from "../output/table.ts";
import { openApi } from "../targets/opened-store.ts";
import { partOf, type SelectionOptions } from "../targets/selection.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  withLocation(withSelection(command))
    .description(
      "Prints throughput and p95 of a run by load, the largest throughput and the load that reaches it, with " +
        "95 % confidence limits, and the load at which p95 has doubled. The run must ramp up: docs/capacity.md.",
    )
    .argument("<id>", "the run")
    .addOption(flag("--json", "write JSON"))
    .action((id: string, options: SelectionOptions) =>
      run(async () => {
        const part = partOf(id, options);
        await using api = await openApi(options, context);
        const capacity = await api.ask("getCapacity", parametersOf(part));
        await context.writeOut(options.json ? jsonLine(capacity) : textOf(capacity));
      }),
    );
};

function textOf(capacity: CapacityJson): string {
  const { loadUnit, levels, quality } = capacity;
  const last = levels.at(-1);
  if (last === undefined) return "no requests with known timestamps\n";
  const isByUsers = loadUnit === "users";
  const rows = levels.map((level) => [
    ...(isByUsers ? [formatLoad(level.load)] : []),
    formatLoad(level.reqPerSec),
    formatMilliseconds(level.p95),
  ]);
  const head = [...(isByUsers ? ["USERS"] : []), "REQ/S", "P95"];
  const highest = Math.max(...levels.map(({ reqPerSec }) => reqPerSec));
  const users = isByUsers ? ` and ${formatLoad(last.load)} users` : "";
  const lines = [
    ...(isByUsers ? [] : ["no peak is computed: active users are not recorded"]),
    ...limitLines(capacity, `${formatLoad(highest)}/s${users}`),
    ...quality.map(({ message }) => `note: ${printable(message)}`),
  ];
  return `${formatTable([head, ...rows])}${lines.map((line) => `${line}\n`).join("")}`;
}

function limitLines(
  { loadUnit, isLoadVaried, peak, p95Doubled }: CapacityJson,
  upTo: string,
): string[] {
  if (!isLoadVaried) return ["no limits are computed: the load hardly varies"];
  if (peak === undefined && p95Doubled === undefined) return [`no limit seen up to ${upTo}`];
  const lines: string[] = [];
  if (peak !== undefined) {
    const [rate, users] = [limited(peak.reqPerSec, "/s"), limited(peak.load, " users")];
    lines.push(`at most ${rate}; 95 % of it from ${users} on`);
  } else if (loadUnit === "users") lines.push(`no peak seen up to ${upTo}`);
  if (p95Doubled !== undefined) {
    const { p95Before, p95After } = p95Doubled;
    const times = `from ${formatMilliseconds(p95Before)} to ${formatMilliseconds(p95After)}`;
    const unit = loadUnit === "users" ? " users" : "/s";
    lines.push(`p95 doubled at ${formatLoad(p95Doubled.load)}${unit}: ${times}`);
  }
  return lines;
}

function limited({ value, low, high }: Limited, unit: string): string {
  return `${formatLoad(value)}${unit} (${formatLoad(low)} to ${formatLoad(high)})`;
}

/** At least three significant digits. */
function formatLoad(load: number): string {
  return load < 100
    ? String(Number(load.toPrecision(3)))
    : Math.round(load).toLocaleString("en-US");
}
