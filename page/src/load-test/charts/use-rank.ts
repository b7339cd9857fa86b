import { askOverall } from "../../api/figures.ts";
import { useAnswer } from "../../api/use-answer.ts";
import { duration } from "../../format/numbers.ts";
import { type EarlierRun, useEarlierRuns } from "../baseline.ts";
import type { LoadTestPart } from "../part.ts";

type RankRequest = Pick<LoadTestPart, "name" | "scope" | "whole" | "isGrowing">;

const MINUTE = 60;

/** Fewer are not worth a rank. */
const EARLIER_MIN = 4;

/**
 * While a run grows: p95 of its last full minute among that of earlier good runs at the same minute since
 * their start, in words; empty if too few are known.
 */
export function useRank({ name, scope, whole, isGrowing }: RankRequest): string {
  const { value: earlier } = useEarlierRuns(scope.id, name);
  const minute = Math.floor((whole.until - whole.from) / MINUTE) - 1;
  const runs = (earlier?.good ?? []).filter((run) => lastsBeyond(run, minute));
  const isAsked = isGrowing && minute >= 0 && runs.length >= EARLIER_MIN;
  const { filter, hashes, outcome, where, by } = scope;
  const ids = runs.map(({ id }) => id);
  const question = isAsked
    ? JSON.stringify([scope.id, minute, filter, hashes, outcome, where, by, ids])
    : "";
  const asked = useAnswer("rank", question, (signal) => {
    const starts = [{ id: scope.id, from: whole.from }, ...runs];
    return Promise.all(
      starts.map(async (run) => {
        const first = run.from + minute * MINUTE;
        const part = { ...scope, id: run.id, from: first, until: first + MINUTE };
        return (await askOverall(part, signal)).p95;
      }),
    );
  });
  if (!isAsked || asked.value === undefined || asked.question !== question) return "";
  const [own, ...others] = asked.value;
  return rankText(minute, own ?? null, others);
}

/** p95 in seconds, `null` if unknown. */
export function rankText(
  minute: number,
  own: number | null,
  others: readonly (number | null)[],
): string {
  const known = others.filter((each) => each !== null);
  if (own === null || known.length < EARLIER_MIN) return "";
  const { digits, unit } = duration(own);
  const slower = known.filter((each) => each < own).length;
  const than = slower === known.length ? `all ${slower}` : `${slower} of ${known.length}`;
  return `p95 of minute ${minute + 1}: ${digits} ${unit}, slower than ${than} earlier runs`;
}

function lastsBeyond({ from, until }: EarlierRun, minute: number): boolean {
  return until + 1 - from >= (minute + 1) * MINUTE;
}
