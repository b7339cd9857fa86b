import type { EndpointFailureCounts } from "../api/failures.ts";
import type { Api } from "../client/api.ts";
import { type SecondRange, chunksOf } from "../model/columns.ts";
import { selectorText } from "../model/measures/measure-selector.ts";
import type { EndpointSelection, SelectedPart } from "../series/endpoint-selection.ts";
import { conditionsText } from "../series/merge-all-series.ts";
import { anomaliesOf } from "./findings/incidents.ts";
import type { Findings } from "./findings/read-findings.ts";
import { type LoadTestReader, SERIES_MAX } from "./load-test-reader.ts";

/** A reader of the API: every method is one request. */
export function openApiReader(api: Api): LoadTestReader {
  return {
    summarise: ({ apdexMicros, percents, rows, hasParents, ...part }) => {
      const query = {
        ...parametersOf(part),
        apdexMs: apdexMicros === undefined ? undefined : apdexMicros / 1000,
        ...rows,
        tree: hasParents === true ? ("true" as const) : undefined,
      };
      const ask = (percent: string | undefined) => api.ask("getSummary", { ...query, percent });
      return inTens(percents, ask, (all, more) => ({
        ...all,
        overall: withPercentiles(all.overall, more.overall),
        endpoints: all.endpoints.map((each, at) => withPercentiles(each, more.endpoints[at])),
      }));
    },
    // Both load tests have the same endpoints and ramps.
    compare: ({ base, later, selector }) =>
      api.ask("compareLoadTests", {
        ...parametersOf(later),
        base: base.loadTestId,
        baseFrom: base.range?.from,
        baseUntil: base.range?.until,
        skipStart: later.skipStartSeconds,
        skipEnd: later.skipEndSeconds,
        measure: selector && selectorText(selector),
      }),
    trend: ({ selection, selector, skipStartSeconds, skipEndSeconds, ignoreBaseline, ...series }) =>
      api.ask("getTrend", {
        ...series,
        ...selected(selection),
        ignoreBaseline: ignoreBaseline === true ? "true" : undefined,
        skipStart: skipStartSeconds,
        skipEnd: skipEndSeconds,
        measure: selector && selectorText(selector),
      }),
    windows: ({ windowSeconds: window, isMerged, percents, ...part }) => {
      const query = {
        ...parametersOf(part),
        window,
        merge: isMerged ? "true" : undefined,
      } as const;
      const ask = (percent: string | undefined) => api.ask("getPercentiles", { ...query, percent });
      return inTens(percents, ask, (all, more) =>
        all.map((each, at) => withPercentiles(each, more[at])),
      );
    },
    measureSeries: ({ loadTestId: id, range, selector }) => {
      const about = { id, ...range, selector: selector && selectorText(selector) };
      return api.ask("getMeasureSeries", { ...about, resolution: 1, limit: SERIES_MAX });
    },
    omission: async (part) =>
      anomaliesOf((await askFindings(api, part)).incidents).find(
        (each) => each.kind === "omission",
      ),
    measures: ({ loadTestId: id, range, selector, percents }) => {
      const query = { id, ...range, selector: selector && selectorText(selector) };
      const ask = (percent: string | undefined) => api.ask("getMeasures", { ...query, percent });
      return inTens(percents, ask, (all, more) => ({
        ...all,
        measures: all.measures.map((each, at) => withPercentiles(each, more.measures[at])),
      }));
    },
  };
}

/** The most percentiles in one request. */
const PERCENTS_MAX = 10;

async function inTens<Answer extends object>(
  percents: readonly number[] = [],
  ask: (percent: string | undefined) => Promise<Answer>,
  join: (all: Answer, more: Answer) => Answer,
): Promise<Answer> {
  const [first, ...others] = chunksOf(percents, PERCENTS_MAX);
  let answer: Answer = await ask(first?.join(","));
  for (const chunk of others) answer = join(answer, await ask(chunk.join(",")));
  return answer;
}

function withPercentiles<Item extends { readonly percentiles?: object | undefined }>(
  item: Item,
  more: Item | undefined,
): Item {
  return { ...item, percentiles: { ...item.percentiles, ...more?.percentiles } };
}

export function parametersOf({ loadTestId: id, selection, range }: SelectedPart) {
  const { from, until }: Partial<SecondRange> = range ?? {};
  return { id, ...selected(selection), from, until };
}

export function selected(selection: EndpointSelection) {
  const { where = [], by = [] } = selection.facets ?? {};
  const { count } = selection;
  const facets = { where: conditionsText(where), by: by.join(",") || undefined, count };
  if (selection.by === "hashes") return { hashes: selection.hashes.join(","), ...facets };
  if (selection.by === "hash") return { hash: selection.hash, ...facets };
  return { filter: selection.filter || undefined, ...facets };
}

/** By endpoint. */
export async function askFailures(
  api: Api,
  part: SelectedPart,
): Promise<readonly EndpointFailureCounts[]> {
  // Only merged ones have no label.
  return (await api.ask("getFailures", parametersOf(part))) as readonly EndpointFailureCounts[];
}

const KINDS = new Set(["step", "burst", "failing", "drop", "drift", "omission", "generator"]);

/** Kinds of later versions are left out. */
export async function askFindings(api: Api, part: SelectedPart): Promise<Findings> {
  const items = await api.ask("getFindings", parametersOf(part));
  return {
    incidents: items.flatMap((item) => {
      if (item.kind !== "incident") return [];
      const findings = item.findings.filter(({ kind }) => KINDS.has(kind));
      return findings.length === 0 ? [] : [{ ...item, findings }];
    }),
    quality: items.flatMap((item) => {
      if (item.kind !== "quality") return [];
      const { kind: _, ...remark } = item;
      return [remark];
    }),
  };
}
