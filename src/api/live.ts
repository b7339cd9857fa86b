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
    "While it is broken: the end of the first window from which on it has been, UNIX second.",
  ),
  measured: about(NUMBER, "Of the newest window, in `unit`."),
  window: object({ from: SECOND, until: SECOND, requests: WHOLE, failedRequests: WHOLE }),
});

export type RunningLimitJson = Static<typeof RUNNING_LIMIT>;
