import { FLAG, NUMBER, SECOND, WHOLE } from "./parts.ts";
import { about, named, object, optional, type Static } from "./schema.ts";
import { LIMIT_PARTS } from "./thresholds.ts";

/** A threshold over a window, while a load test runs. */
const RUNNING_LIMIT = named("RunningLimit", {
  ...LIMIT_PARTS,
  fails: about(FLAG, "Whether it fails the run if it is broken."),
  isBroken: about(FLAG, "Whether the newest window and the one before it break it."),
  brokenSince: optional(
    SECOND,
    "UNIX second since which it has been broken: the end of the first window. Absent while it is kept.",
  ),
  measured: about(NUMBER, "Of the newest window, in `unit`."),
  window: object({ from: SECOND, until: SECOND, requests: WHOLE, failedRequests: WHOLE }),
});

export type RunningLimitJson = Static<typeof RUNNING_LIMIT>;
