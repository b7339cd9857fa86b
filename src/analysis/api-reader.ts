import type { EndpointFailureCounts } from "../api/failures.ts";
import type { Api } from "../client/api.ts";
import type { SecondRange } from "../model/second-range.ts";
import {
  type EndpointSelection,
  isEverything,
  type SelectedPart,
} from "../series/endpoint-selection.ts";
import type { Findings } from "./findings/read-findings.ts";
import type { LoadTestReader } from "./load-test-reader.ts";

/** A reader of the API: every method is one request. */
export function openApiReader(api: Api): LoadTestReader {
  return {
    summarise: ({ apdexMicros, percents, rows, ...part }) =>
      api.ask("getSummary", {
        ...parametersOf(part),
        apdexMs: apdexMicros === undefined ? undefined : apdexMicros / 1000,
        percent: percents?.join(","),
        ...rows,
      }),
    // Both load tests have the same endpoints and ramps.
    compare: ({ base, later }) =>
      api.ask("compareLoadTests", {
        ...parametersOf(later),
        base: base.loadTestId,
        baseFrom: base.range?.from,
        baseUntil: base.range?.until,
        skipStart: later.skipStartSeconds,
        skipEnd: later.skipEndSeconds,
      }),
    trend: ({ selection, skipStartSeconds, skipEndSeconds, ignoreBaseline, ...series }) =>
      api.ask("getTrend", {
        ...series,
        ...selected(selection),
        ignoreBaseline: ignoreBaseline === true ? "true" : undefined,
        skipStart: skipStartSeconds,
        skipEnd: skipEndSeconds,
      }),
    measures: ({ loadTestId: id, range, name: measure }) =>
      api.ask("getMeasures", { id, ...range, measure }),
  };
}

/** Parameters that select a part of a load test. */
export function parametersOf({ loadTestId: id, selection, range }: SelectedPart) {
  const { from, until }: Partial<SecondRange> = range ?? {};
  return { id, ...selected(selection), from, until };
}

function selected(selection: EndpointSelection) {
  if (selection.by === "hashes") return { hashes: selection.hashes.join(",") };
  if (selection.by === "hash") return { hash: selection.hash };
  return isEverything(selection) ? {} : { filter: selection.filter };
}

/** By endpoint. */
export async function askFailures(
  api: Api,
  part: SelectedPart,
): Promise<readonly EndpointFailureCounts[]> {
  // Only merged ones have no label.
  return (await api.ask("getFailures", parametersOf(part))) as readonly EndpointFailureCounts[];
}

/** Kinds of later versions are left out. */
export async function askFindings(api: Api, part: SelectedPart): Promise<Findings> {
  const items = await api.ask("getFindings", parametersOf(part));
  return {
    step: items.find((item) => item.kind === "step"),
    burst: items.find((item) => item.kind === "burst"),
    quality: items.flatMap((item) => {
      if (item.kind !== "quality") return [];
      const { kind: _, ...remark } = item;
      return [remark];
    }),
  };
}
