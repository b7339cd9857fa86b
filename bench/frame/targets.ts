/** What a scenario is to reach, and whether it did. */

/** The median of a candidate in a column; `undefined` where it was not measured. */
export type Medians = (candidate: string, column: string) => number | undefined;

export interface Target {
  readonly text: string;
  /** `undefined` where a candidate that it speaks of was not measured. */
  readonly judge: (medians: Medians) => Judgement | undefined;
}

interface Judgement {
  /** What was measured, as it is printed. */
  readonly measured: string;
  readonly isReached: boolean;
}

export interface Comparison {
  readonly text: string;
  readonly ours: string;
  readonly peer: string;
  readonly column: string;
  /** The column of the peer, if it is another one. */
  readonly peerColumn?: string;
  readonly times: number;
}

/** Ours takes a `times`-th of what the peer takes: seconds, bytes. */
export function timesLess({ text, ours, peer, column, ...request }: Comparison): Target {
  return target(text, request.times, (medians) =>
    quotient(medians(peer, request.peerColumn ?? column), medians(ours, column)),
  );
}

/** Ours does `times` as much as the peer: requests a second. */
export function timesMore({ text, ours, peer, column, ...request }: Comparison): Target {
  return target(text, request.times, (medians) =>
    quotient(medians(ours, column), medians(peer, request.peerColumn ?? column)),
  );
}

export interface Limit {
  readonly text: string;
  readonly candidate: string;
  readonly column: string;
  readonly limit: number;
  readonly unit: string;
}

export function atMost({ text, candidate, column, limit, unit }: Limit): Target {
  return {
    text,
    judge: (medians) => judgeLimit(medians(candidate, column), unit, (value) => value <= limit),
  };
}

export function atLeast({ text, candidate, column, limit, unit }: Limit): Target {
  return {
    text,
    judge: (medians) => judgeLimit(medians(candidate, column), unit, (value) => value >= limit),
  };
}

/** Three digits that matter, and thousands apart. */
export function figure(value: number): string {
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return value === 0 ? "0" : String(Number(value.toPrecision(3)));
}

function target(
  text: string,
  times: number,
  ratio: (medians: Medians) => number | undefined,
): Target {
  return {
    text,
    judge(medians) {
      const value = ratio(medians);
      return value === undefined
        ? undefined
        : { measured: `${figure(value)} x`, isReached: value >= times };
    },
  };
}

function judgeLimit(
  value: number | undefined,
  unit: string,
  isReached: (value: number) => boolean,
): Judgement | undefined {
  if (value === undefined) return undefined;
  return { measured: `${figure(value)} ${unit}`.trimEnd(), isReached: isReached(value) };
}

function quotient(above: number | undefined, below: number | undefined): number | undefined {
  return above === undefined || below === undefined ? undefined : above / below;
}
