import { TEXT, WHOLE } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

const secondOrNull = { type: ["integer", "null"], minimum: 1, maximum: 4_294_967_295 } as const;
const POSITIVE = { type: "integer", minimum: 1 } as const;

const REJECTION = object({ line: POSITIVE, byte: WHOLE, reason: TEXT }, {}, { title: "Rejection" });

const OTHER = object(
  {
    requests: POSITIVE,
    labels: {
      type: ["integer", "null"],
      minimum: 1,
      description: "How many labels; `null` where they were too many to tell them apart.",
    },
    labelsMax: { ...POSITIVE, description: "Labels that a load test may have." },
  },
  {},
  { title: "OtherRequests" },
);

/** The report of an upload, as `tachograph import --json` prints it. */
export const REPORT_SCHEMA = object(
  {
    loadTestId: TEXT,
    format: { type: "string", description: "Name of the format, as `format` takes it." },
    source: TEXT,
    samples: object(
      { read: WHOLE, recorded: WHOLE, rejected: WHOLE },
      {},
      {
        description:
          "Records of the file: rows, or windows of many requests. `read` is always `recorded` and " +
          "`rejected` together.",
      },
    ),
    requests: {
      ...WHOLE,
      description: "Without those of transactions and sub-results, unless there are no others.",
    },
    failedRequests: { ...WHOLE, description: "Of `requests`." },
    transactions: { ...WHOLE, description: "Rows of transactions." },
    subresults: { ...WHOLE, description: "Rows of sub-results." },
    endpoints: WHOLE,
    other: {
      oneOf: [{ type: "null" }, OTHER],
      description: "What is of labels for which there was no room: it counts under `(other)`.",
    },
    from: { ...secondOrNull, description: "First UNIX second with a sample." },
    until: { ...secondOrNull, description: "Last UNIX second with a sample, included." },
    rejections: list(REJECTION, "The first 20 of them."),
    cut: {
      oneOf: [{ type: "null" }, REJECTION],
      description: "Where the file ends inside a record or without its closing part.",
    },
    alreadyImported: {
      type: "boolean",
      description:
        "The same content or a later state of it was in the load test: nothing has changed.",
    },
    notes: list(TEXT),
    seconds: { type: "number", minimum: 0 },
  },
  {},
  { title: "ImportReport" },
);

export type ReportJson = Static<typeof REPORT_SCHEMA>;

/** Running uploads. */
export const UPLOADS_SCHEMA = object({
  uploads: list(
    object({
      file: TEXT,
      receivedBytes: WHOLE,
      sizeBytes: {
        type: ["integer", "null"],
        minimum: 0,
        description: "`null` where it is not known.",
      },
      format: { type: ["string", "null"], description: "`null` until it is found." },
      recorded: {
        ...WHOLE,
        description:
          "Requests that are stored, though not to be seen yet; transactions and sub-results included.",
      },
    }),
  ),
});

export type UploadsJson = Static<typeof UPLOADS_SCHEMA>;

/** Reports of stopped uploads. */
export const STOPPED_SCHEMA = object({ reports: list(REPORT_SCHEMA) });
