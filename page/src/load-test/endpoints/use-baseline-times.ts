import { useMemo } from "preact/hooks";
import { askSummary } from "../../api/figures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { useEarlierRuns } from "../baseline.ts";
import { stretchIn } from "../incident/incident.ts";
import type { LoadTestPart } from "../part.ts";
import type { BaselineTimes } from "./sort-endpoints.ts";

interface TimesRequest extends Pick<LoadTestPart, "name" | "scope" | "range" | "whole"> {
  /** Whether only a part of very many endpoints is listed. */
  readonly isPart: boolean;
}

/** The p95 of each endpoint in the baseline, in the same seconds since the start. */
export function useBaselineTimes({
  name,
  scope,
  range,
  whole,
  isPart,
}: TimesRequest): BaselineTimes {
  const { value: earlier } = useEarlierRuns(scope.id, name);
  const base = earlier?.baseline;
  const isWhole = scope.from === undefined && scope.until === undefined;
  const seconds = base && !isWhole ? stretchIn(range, whole, base.from) : {};
  const asked = { ...scope, from: undefined, until: undefined, ...seconds, id: base?.id ?? "" };
  const question =
    base === undefined || isPart || scope.by !== undefined ? "" : JSON.stringify(asked);
  const { value, question: answered } = useAnswer("baseline table", question, (signal) =>
    askSummary(asked, signal),
  );
  return useMemo(() => {
    if (value === undefined || answered !== question) return undefined;
    return new Map(value.endpoints.flatMap(({ hash, p95 }) => (p95 === null ? [] : [[hash, p95]])));
  }, [value, answered, question]);
}
