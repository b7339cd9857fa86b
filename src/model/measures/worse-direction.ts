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

/** Parts of a name, in this order: `cache_hit_ratio` and `usage_idle` are better when higher. Short ones must begin a word: `oom` is not in `rooms`. */
const BY_NAME: readonly (readonly [parts: RegExp, worse: WorseDirection])[] = [
  [
    /drop(?!down)|discard|reject|refus|error|fail|miss(?!i[ov])|timeout|retr(?:y|ies)|restart|\boom|evict|throttl|un(?:available|success)/,
    "higher",
  ],
  [/latency|duration|elapsed|response time|ttft|\bitl|tpot|time to first/, "higher"],
  [
    /idle|available|free(?!z)|unused|\bhit|success|\bcompleted|\bpassed|checks|\bgood|throughput|per second|\brps|\btps|tokens? per/,
    "lower",
  ],
  [
    /cpu|\bmem(?!ber)|\bheap|\bload\d|usage|\bused|memused|utili[sz]ation|busy|iowait|swap|\bpause|\bgc |queue|\bpending|waiting|backlog|\blag/,
    "higher",
  ],
];

const TIMES: ReadonlySet<string> = new Set(["s", "ms", "us", "ns", "min"]);

/** By what is known of the name, then by the unit: times are worse when longer. */
export function worseDirection({ name, unit, kind }: Named): WorseDirection {
  const words = name.replaceAll(/(?<=[a-z\d])(?=[A-Z])|[^a-zA-Z\d]+/g, " ").toLowerCase();
  const known = BY_NAME.find(([parts]) => parts.test(words))?.[1];
  if (known !== undefined) return known;
  return TIMES.has(unit) && kind !== "counter" ? "higher" : "either";
}
