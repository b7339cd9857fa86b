/** Which values of a measure are worse, where everybody agrees. */

import type { MeasureKind } from "./measure-table.ts";

export const WORSE_DIRECTIONS = ["higher", "lower", "either"] as const;

/** `either`: not known, so that a change is neither better nor worse. */
export type WorseDirection = (typeof WORSE_DIRECTIONS)[number];

interface Named {
  readonly name: string;
  readonly unit: string;
  readonly kind: MeasureKind;
}

/** Words between other letters of a name, in this order: `cache_hit_ratio` and `usage_idle` are better when higher. */
const BY_NAME: readonly (readonly [words: RegExp, worse: WorseDirection])[] = [
  [
    /drop|discard|reject|refus|error|fail|miss|timeout|retr(?:y|ies)|restart|oom|evict|throttl/,
    "higher",
  ],
  [
    /idle|available|free|hit|success|completed|passed|checks|good|throughput|per_second|rps|tps|tokens?_per/,
    "lower",
  ],
  [
    /cpu|mem|heap|load\d|usage|used|utili[sz]ation|busy|iowait|swap|pause|gc_|queue|pending|waiting|backlog|lag/,
    "higher",
  ],
  [/latency|duration|elapsed|response_time|ttft|itl|tpot|time_to_first/, "higher"],
];

const TIMES: ReadonlySet<string> = new Set(["s", "ms", "us", "ns", "min"]);

/** By what is known of the name, then by the unit: times are worse when longer. */
export function worseDirection({ name, unit, kind }: Named): WorseDirection {
  const lower = name.toLowerCase();
  const known = BY_NAME.find(([words]) => words.test(lower))?.[1];
  if (known !== undefined) return known;
  return TIMES.has(unit) && kind !== "counter" ? "higher" : "either";
}
