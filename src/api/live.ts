import { FLAG, NUMBER, SECOND, TEXT, WHOLE } from "./parts.ts";
import { about, choice, named, object, type Static } from "./schema.ts";

/** A threshold over a window, while a load test runs. */
const RUNNING_LIMIT = named("RunningLimit", {
  failIf: about(TEXT, "The expression, with the label if a pattern matched it."),
  figure: about(TEXT, "Such as `avg`, `p95` or `errors`."),
  unit: choice(["seconds", "share", "count", "perSecond"]),
  fails: about(FLAG, "Whether it fails the run if it is broken."),
  isBroken: about(FLAG, "Whether the newest window and the one before it break it."),
  measured: about(NUMBER, "Of the newest window, in `unit`."),
  window: object({ from: SECOND, until: SECOND, requests: WHOLE, failedRequests: WHOLE }),
});

export type RunningLimitJson = Static<typeof RUNNING_LIMIT>;
