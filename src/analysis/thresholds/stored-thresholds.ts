import type { ThresholdsJson } from "../../api/thresholds.ts";
import { badParameter } from "../../model/errors.ts";
import type { Limit } from "../check/limit.ts";
import type { StoredTexts } from "../../store/store.ts";
import { readThresholds } from "./read-thresholds.ts";

export interface ThresholdsByName {
  /** An empty list if none are kept. */
  find(name: string): Promise<ThresholdsJson>;
  /** Replaces the thresholds and the Prometheus queries of the name; empty lists remove them. Throws `bad-parameter`. */
  keep(name: string, thresholds: ThresholdsJson): Promise<void>;
}

/** `now`: milliseconds since the epoch. */
export function openThresholdsByName(kept: StoredTexts, now: () => number): ThresholdsByName {
  return {
    async find(name) {
      const text = await kept.find(name);
      return text === undefined ? { thresholds: [] } : (JSON.parse(text) as ThresholdsJson);
    },
    async keep(name, thresholds) {
      const read = readThresholds(thresholds, now());
      if ("mistakes" in read) {
        const mistakes = read.mistakes.map(({ path, message }) => `${path.join(".")}: ${message}`);
        throw badParameter(mistakes.join("; "));
      }
      const { thresholds: own, pull = [] } = thresholds;
      const isEmpty = own.length + pull.length === 0;
      await kept.keep(name, isEmpty ? undefined : JSON.stringify(thresholds));
    },
  };
}

/** Limits of kept thresholds. Throws `bad-parameter` for those of a newer version. */
export function limitsOf(
  thresholds: ThresholdsJson,
  name: string,
  nowMs: number,
): readonly Limit[] {
  const read = readThresholds(thresholds, nowMs);
  if ("limits" in read) return read.limits;
  throw badParameter(
    `this version cannot read the thresholds of ${JSON.stringify(name)}: ${read.mistakes[0]?.message}`,
  );
}
