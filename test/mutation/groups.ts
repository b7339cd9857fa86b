/** Files to mutate and the tests that should detect the mutants. */

export interface Group {
  readonly name: string;
  /** Files, and the consequence of a bug in each. */
  readonly files: Readonly<Record<string, string>>;
  /**
   * Files with state that outlives a test and hides their mutants: surviving mutants are tried once more in a
   * new process.
   */
  readonly remembering?: readonly string[];
  /** Test files, fast ones first: slower ones skip the mutants that those detect. */
  readonly tests: readonly string[];
}

/** Percentage of mutants that tests have to detect in each group. */
export const WANTED_PERCENT = 85;

export const GROUPS: readonly Group[] = [
  {
    name: "histogram",
    files: {
      "src/model/buckets/bucket-layout.ts": "the bucket a latency is counted in",
      "src/model/histogram.ts": "every percentile",
    },
    tests: ["src/model/histogram.test.ts", "src/model/merge-points.test.ts"],
  },
  {
    name: "aggregation",
    files: {
      "src/aggregate/aggregator.ts": "samples to open points: the twin of the WebAssembly",
      "src/aggregate/flush-points.ts": "open points to data points",
      "src/aggregate/failure-counter.ts": "failures by kind, active users",
      "src/model/merge-points.ts": "the merging that every coarser view is made of",
      "src/model/failures.ts": "failures merged",
      "src/model/active-users.ts": "active users merged",
      "src/model/row-groups.ts": "which rows are merged",
      "src/model/buckets/bucket-counts.ts": "histograms merged",
      "src/model/exact.ts": "no sum is rounded",
    },
    tests: [
      "src/model/merge-points.test.ts",
      "src/model/failures.test.ts",
      "src/model/active-users.test.ts",
      "src/model/row-groups.test.ts",
      "src/model/buckets/bucket-counts.test.ts",
      "src/model/exact.test.ts",
      "src/aggregate/failure-counter.test.ts",
      "src/aggregate/failure-counter-users.test.ts",
      "src/aggregate/flush-points.test.ts",
      "src/aggregate/aggregator.test.ts",
    ],
  },
  {
    name: "block codec",
    files: Object.fromEntries(
      [
        "bits",
        "block",
        "byte-reader",
        "byte-writer",
        "directory",
        "distribution-segment",
        "encode-histograms",
        "envelope",
        "extremes",
        "failures-segment",
        "histogram-streams",
        "packed-column",
        "plain-segment",
        "predicted-column",
        "row-runs",
        "seconds-column",
        "single-requests",
        "users-segment",
      ].map((name) => [`src/store/block/${name}.ts`, "every stored number goes through it"]),
    ),
    remembering: ["src/store/block/extremes.ts"],
    tests: [
      "src/store/block/block-bytes.test.ts",
      "src/store/block/block-kernel.test.ts",
      "src/store/block/odd-points.test.ts",
      "src/store/block/detail-segments.test.ts",
      "src/store/block/block.test.ts",
    ],
  },
  {
    name: "keys",
    files: {
      "src/catalogue/keys.ts": "form and checksum of keys, who is let in, and until when",
      "src/catalogue/administer-keys.ts": "keys made and revoked from afar",
      "src/store/sqlite/catalogue/keys.ts": "keys as they are stored",
      "test/support/memory-store/keys.ts": "the same in memory",
      "src/http/key-reader.ts": "which key a request carries",
    },
    tests: [
      "src/catalogue/keys.test.ts",
      "src/http/key-reader.test.ts",
      "test/support/memory-store/memory-store.test.ts",
      "src/http/keys.test.ts",
      "src/store/sqlite/store.slow.test.ts",
    ],
  },
  {
    name: "exactly once: batches",
    files: {
      "src/store/batch-digest.ts": "whether a batch that comes again is the same",
      "src/store/numbered-points.ts": "the points of a batch",
      "src/store/sqlite/catalogue/tally.ts": "sums beside the points",
      "src/store/sqlite/file/write-queue.ts": "nothing is acknowledged before it is on disk",
      "src/remote/sending-chain.ts": "the order in which batches are sent, and their files",
      "src/remote/spool-folder.ts": "where batches wait for the server",
    },
    tests: [
      "src/store/batch-digest.test.ts",
      "src/store/numbered-points.test.ts",
      "src/store/sqlite/catalogue/tally.test.ts",
      "src/remote/sending-chain.test.ts",
      "src/remote/sending-chain-entry.test.ts",
      "src/remote/spool-folder.test.ts",
      "src/store/sqlite/file/write-queue.test.ts",
    ],
  },
  {
    name: "exactly once: stores and followers",
    files: {
      "src/store/sqlite/points.ts": "append and publish",
      "src/store/sqlite/catalogue/source-rows.ts": "which batches and sources are there",
      "src/import/staged-import.ts": "imports that show when they are whole",
      "src/live/follow-results.ts": "how batches of a growing file are numbered",
      "src/live/reading.ts": "where reading a growing file goes on",
      "src/import/stored-states.ts": "what the store knows of a growing file",
      "src/remote/spool.ts": "batches that wait for the server",
    },
    tests: [
      "src/import/stored-states.test.ts",
      "src/live/reading.test.ts",
      "src/live/follow-results-source.test.ts",
      "src/import/staged-import.test.ts",
      "src/store/sqlite/catalogue/source-rows.test.ts",
      "src/store/sqlite/points.test.ts",
      "src/remote/spool-waiting.test.ts",
      "src/live/follow-results.test.ts",
      "src/remote/spool.test.ts",
      "src/import/import-results.test.ts",
      "src/store/sqlite/housekeeping.slow.test.ts",
      "src/store/sqlite/shared-file.slow.test.ts",
      "src/store/sqlite/store.slow.test.ts",
      "src/live/follow-restarts.slow.test.ts",
    ],
  },
];
