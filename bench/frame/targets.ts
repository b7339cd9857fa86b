/** What a scenario is to reach, and whether it did. */

/** The median of a candidate in a column; `undefined` where it was not measured. */
export type Medians = (candidate: string, column: string) => number | undefined;

export interface Target {
  /** What is measured, without the number. */
  readonly text: string;
  /** Whether it stands in the table at the begin of RESULTS.md, where its text is alone. */
  readonly isHeadline?: boolean | undefined;
  /** The names of all candidates that it is judged by. */
  readonly candidates: readonly string[];
  /** `undefined` where one of them was not measured. */
  readonly judge: (medians: Medians) => Judgement | undefined;
}

/** A row of a table of targets, as it is printed. */
interface Judgement {
  readonly ours: string;
  readonly peer?: string;
  /** How many times ours wins, or for a share the part of the peer's that ours takes. */
  readonly ratio?: string;
  /** How many times less processor time ours takes. */
  readonly processorRatio?: string | undefined;
  readonly target: string;
  readonly isReached: boolean;
}

interface Named {
  readonly text: string;
  readonly isHeadline?: boolean;
  readonly unit: string;
}

export interface Comparison extends Named {
  readonly ours: string;
  readonly peer: string;
  readonly column: string;
  /** The column of the peer, if it is another one. */
  readonly peerColumn?: string;
  /** The column of processor time for the same work. */
  readonly processorColumn?: string;
  readonly times: number;
}

/** Ours takes a `times`-th of what the peer takes: seconds, bytes. */
export function timesLess(request: Comparison): Target {
  return comparison(request, (ours, peer) => ({
    ratio: peer / ours,
    target: `${figure(request.times)} x`,
    isReached: peer / ours >= request.times,
  }));
}

/** Ours does `times` as much as the peer: requests a second. */
export function timesMore(request: Comparison): Target {
  return comparison(request, (ours, peer) => ({
    ratio: ours / peer,
    target: `${figure(request.times)} x`,
    isReached: ours / peer >= request.times,
  }));
}

/** Ours takes at most `times` of what the peer takes: processor time. */
export function shareAtMost(request: Comparison): Target {
  return comparison(request, (ours, peer) => ({
    ratio: ours / peer,
    target: `at most ${request.times} x`,
    isReached: ours / peer <= request.times,
  }));
}

export interface Limit extends Named {
  readonly candidate: string;
  readonly column: string;
  readonly limit: number;
}

export function atMost(request: Limit): Target {
  return limited(request, "at most", (value) => value <= request.limit);
}

export function atLeast(request: Limit): Target {
  return limited(request, "at least", (value) => value >= request.limit);
}

/** Three digits that matter, and thousands apart. */
export function figure(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return value === 0 ? "0" : String(Number(value.toPrecision(3)));
}

interface Outcome {
  readonly ratio: number;
  readonly target: string;
  readonly isReached: boolean;
}

function comparison(
  { text, isHeadline, ours, peer, unit, column, ...request }: Comparison,
  compare: (ours: number, peer: number) => Outcome,
): Target {
  const { peerColumn = column, processorColumn } = request;
  return {
    text,
    isHeadline,
    candidates: [ours, peer],
    judge(medians) {
      const [own, other] = [medians(ours, column), medians(peer, peerColumn)];
      if (own === undefined || other === undefined) return undefined;
      const { ratio, ...outcome } = compare(own, other);
      return {
        ...outcome,
        ours: withUnit(own, unit),
        peer: `${withUnit(other, unit)}, ${peer}`,
        ratio: `${figure(ratio)} x`,
        processorRatio: processorRatio(medians, [ours, peer], processorColumn),
      };
    },
  };
}

function processorRatio(
  medians: Medians,
  [ours, peer]: readonly [string, string],
  column: string | undefined,
): string | undefined {
  if (column === undefined) return undefined;
  const [own, other] = [medians(ours, column), medians(peer, column)];
  return own === undefined || other === undefined ? undefined : `${figure(other / own)} x`;
}

function limited(
  { text, isHeadline, candidate, column, limit, unit }: Limit,
  words: string,
  isReached: (value: number) => boolean,
): Target {
  return {
    text,
    isHeadline,
    candidates: [candidate],
    judge(medians) {
      const value = medians(candidate, column);
      if (value === undefined) return undefined;
      const target = `${words} ${withUnit(limit, unit)}`;
      return { ours: withUnit(value, unit), target, isReached: isReached(value) };
    },
  };
}

function withUnit(value: number, unit: string): string {
  return `${figure(value)} ${unit}`.trimEnd();
}
