import { askFailures, parametersOf } from "../../analysis/api-reader.ts";
import type { SampleItem } from "../../api/samples.ts";
import type { Api } from "../../client/api.ts";
import type { EndpointFailureCounts } from "../../api/failures.ts";
import type { DerivedRole } from "../../model/role.ts";
import type { SelectedPart } from "../../series/endpoint-selection.ts";
import type { DefineCommand } from "../command-context.ts";
import { withLocation, withSelection, flag } from "../flags.ts";
import { countRoles, withRole } from "../output/comparison-texts.ts";
import { formatCount, formatSecond } from "../output/format-quantity.ts";
import { printable, formatTable, jsonLine } from "../output/table.ts";
import { sampleText } from "../output/sample-text.ts";
import { openApi } from "../targets/opened-store.ts";
import { partOf, type SelectionOptions } from "../targets/selection.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  withLocation(withSelection(command))
    .description("Prints the failed requests of a run by endpoint, code and message.")
    .argument("<id>", "the run")
    .addOption(flag("--samples", "print failed requests that were kept whole, too"))
    .addOption(flag("--json", "write JSON"))
    .action((id: string, options: FailuresOptions) =>
      run(async () => {
        const part = partOf(id, options);
        await using api = await openApi(options, context);
        const endpoints = await askFailures(api, part);
        const samples = options.samples === true ? await askSamples(api, part) : undefined;
        if (options.json) {
          await context.writeOut(jsonLine(endpoints.map((each) => json(each, samples))));
        } else {
          await context.writeOut(`${table(endpoints)}${(samples ?? []).map(sampleText).join("")}`);
        }
      }),
    );
};

interface FailuresOptions extends SelectionOptions {
  readonly samples?: true;
}

async function askSamples(api: Api, part: SelectedPart): Promise<readonly SampleItem[]> {
  const { samples } = await api.ask("getSamples", { ...parametersOf(part), outcome: "failed" });
  return samples;
}

/** `--json` has the full message. */
const MESSAGE_CHARACTERS_MAX = 100;

function json(
  endpoint: EndpointFailureCounts,
  samples: readonly SampleItem[] | undefined,
): unknown {
  const { label, hash, leftOut, errCount: failedRequests, withoutKind } = endpoint;
  const kinds = endpoint.kinds.map(({ code, message, count: requests, from, until }) => {
    return { code, message, requests, from, until };
  });
  const own = samples?.filter((sample) => sample.hash === hash);
  return { label, hash, leftOut, failedRequests, withoutKind, kinds, samples: own };
}

function table(endpoints: readonly EndpointFailureCounts[]): string {
  if (endpoints.length === 0) return "no request failed\n";
  const rows = endpoints.flatMap(({ label, leftOut, withoutKind, kinds }) => [
    ...kinds.map(({ code, message, count, from, until }) => [
      String(count),
      code === "" ? "-" : printable(code),
      withRole(printable(label), leftOut),
      from === undefined ? "-" : formatSecond(from),
      until === undefined ? "-" : formatSecond(until),
      shortened(message),
    ]),
    ...(withoutKind === 0
      ? []
      : [[String(withoutKind), "-", withRole(printable(label), leftOut), "-", "-", NO_REASON]]),
  ]);
  const failed = (role?: DerivedRole): number =>
    endpoints
      .filter(({ leftOut }) => leftOut === role)
      .reduce((sum, { errCount }) => sum + errCount, 0);
  const [transactions, subresults] = [failed("transaction"), failed("subresult")];
  const others = countRoles({ transactions, subresults });
  const beside = others === "" ? "" : `; ${others} failed, which repeat requests`;
  const head = ["FAILED", "CODE", "ENDPOINT", "FIRST", "LAST", "MESSAGE"];
  return `${formatTable([head, ...rows])}${formatCount(failed(), "failed request")}${beside}\n`;
}

const NO_REASON = "(no reason recorded)";

function shortened(message: string): string {
  const text = printable(message);
  return text.length <= MESSAGE_CHARACTERS_MAX
    ? text
    : `${text.slice(0, MESSAGE_CHARACTERS_MAX - 1)}…`;
}
