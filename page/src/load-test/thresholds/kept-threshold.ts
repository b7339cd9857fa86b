import type { CheckedThreshold } from "../../api/thresholds.ts";

/** For tests: a threshold that a run kept. */
export const KEPT: CheckedThreshold = {
  failIf: "p95 > 500ms",
  kind: "value",
  figure: "p95",
  unit: "seconds",
  comparison: ">",
  bound: 0.5,
  outcome: "kept",
  fails: false,
  measured: 0.412,
};
