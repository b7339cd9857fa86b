import { parametersOf } from "../../../analysis/api-reader.ts";
import type { FacetsJson } from "../../../api/facets.ts";
import { ALL_ENDPOINTS } from "../../../series/endpoint-selection.ts";
import type { DefineCommand } from "../../command-context.ts";
import { flag, whereFlag, withLocation } from "../../flags.ts";
import { formatTable, jsonLine, printable } from "../../output/table.ts";
import { type LocationOptions, openApi } from "../../targets/opened-store.ts";
import { type FacetFlags, withFacetsOf } from "../../targets/selection.ts";

export const defineCommand: DefineCommand = (command, context, run) => {
  withLocation(command)
    .description(
      "Prints the facets of a run, such as scenario or host, with their values and requests: docs/labels.md.",
    )
    .argument("<id>", "the run")
    .addOption(whereFlag())
    .addOption(flag("--json", "write JSON"))
    .action((id: string, options: LocationOptions & FacetFlags & { readonly json?: true }) =>
      run(async () => {
        const selection = withFacetsOf(options, ALL_ENDPOINTS);
        const part = parametersOf({ loadTestId: id, selection, range: undefined });
        await using api = await openApi(options, context);
        const found = await api.ask("getFacets", part);
        await context.writeOut(options.json ? jsonLine(found) : table(found));
      }),
    );
};

function table({ facets }: FacetsJson): string {
  if (facets.length === 0) return "no facets\n";
  const rows = facets.flatMap(({ name, values }) =>
    values.map(({ value, requests }) => [String(requests), name, printable(value)]),
  );
  return formatTable([["REQUESTS", "FACET", "VALUE"], ...rows]);
}
