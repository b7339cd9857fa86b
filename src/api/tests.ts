import { FLAG, NUMBER_OR_NULL, SECOND, TEXT, WHOLE } from "./parts.ts";
import { about, choice, list, named, object, optional, type Static } from "./schema.ts";
import { TREND_CHANGE, VERDICT_OF_THRESHOLDS } from "./trend.ts";

const UNREAD = optional(
  list(named("UnreadRun", { id: TEXT, message: about(TEXT, "Why it cannot be read.") })),
  "Load tests that are left out because they cannot be read, such as damaged ones.",
);

export type UnreadRun = NonNullable<Test["unread"]>[number];

/** Of `GET /Api/Tests`. */
export const TESTS = object({
  tests: list(
    named("TestOfName", {
      name: TEXT,
      loadTests: about(WHOLE, "Number of its runs among the latest that were read."),
      runs: list(
        object({
          id: TEXT,
          startedAt: about(SECOND, "UNIX second of the first request."),
          verdict: VERDICT_OF_THRESHOLDS,
          requests: WHOLE,
          p95: about(NUMBER_OR_NULL, "Seconds; `null` if unknown, or not computed yet."),
          errRate: NUMBER_OR_NULL,
        }),
        "Its latest, latest last.",
      ),
      state: about(
        choice(["pending", "short", "steady", "worse", "better"]),
        "Of its last change that is still there. `pending`: being computed, ask again; `short`: too few runs for a change; `steady`: no change.",
      ),
      changes: list(TREND_CHANGE, "That began together, largest first; of each endpoint one."),
      moreChanges: about(WHOLE, "Further endpoints that changed with them."),
      unread: UNREAD,
    }),
    "Latest run first.",
  ),
  leftOut: object({
    tests: about(WHOLE, "Tests beyond `limit`."),
    hasOlder: about(FLAG, "Whether there are older runs, which were not read."),
  }),
});

export type Tests = Static<typeof TESTS>;
export type Test = Tests["tests"][number];

/** Of `GET /Api/Digests`. */
export const DIGESTS = object({
  digests: list(
    named("Digest", {
      id: TEXT,
      p95: about(NUMBER_OR_NULL, "Seconds, of all requests; `null` if unknown."),
      resolution: about(WHOLE, "Seconds of a point."),
      labels: list(SECOND, "UNIX seconds at which points begin."),
      windows: optional(list(WHOLE), "Seconds that each point covers, if more than `resolution`."),
      count: list(WHOLE, "Requests of each point."),
      errCount: list(WHOLE, "Failed ones."),
    }),
    "In the order of `runs`, of those that are known.",
  ),
  isComplete: about(FLAG, "`false`: some are still computed, ask again."),
  unread: UNREAD,
});

export type Digests = Static<typeof DIGESTS>;
export type Digest = Digests["digests"][number];
