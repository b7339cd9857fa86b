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
      description: "Number of labels; `null` if there were too many to count.",
    },
    labelsMax: { ...POSITIVE, description: "Maximum number of labels per load test." },
  },
  {},
  { title: "OtherRequests" },
);

/** The report of an upload, as `tachograph import --json` prints it. */
export const REPORT_SCHEMA = object(
  {
    loadTestId: TEXT,
    format: { type: "string", description: "Name of the format, as accepted by `format`." },
    source: TEXT,
    samples: object(
      { read: WHOLE, recorded: WHOLE, rejected: WHOLE },
      {},
      {
        description:
          "Records of the file: rows, or windows of many requests. `read` is the sum of `recorded` and " +
          "`rejected`.",
      },
    ),
    requests: {
      ...WHOLE,
      description: "Transactions and sub-results are excluded, unless there is nothing else.",
    },
    failedRequests: { ...WHOLE, description: "Of `requests`." },
    transactions: { ...WHOLE, description: "Transaction rows." },
    subresults: { ...WHOLE, description: "Sub-result rows." },
    endpoints: WHOLE,
    other: {
      oneOf: [{ type: "null" }, OTHER],
      description: "Requests of labels over the limit, counted under `(other)`.",
    },
    from: { ...secondOrNull, description: "First UNIX second with a sample." },
    until: { ...secondOrNull, description: "Last UNIX second with a sample, included." },
    rejections: list(REJECTION, "The first 20 rejected rows."),
    cut: {
      oneOf: [{ type: "null" }, REJECTION],
      description: "Where the file was truncated: inside a record, or before its closing part.",
    },
    alreadyImported: {
      type: "boolean",
      description:
        "The load test already had the same content or a later state of it: nothing changed.",
    },
    notes: list(TEXT),
    seconds: { type: "number", minimum: 0 },
  },
  {},
  { title: "ImportReport" },
);

export type ReportJson = Static<typeof REPORT_SCHEMA>;

export const UPLOADS_SCHEMA = object({
  uploads: list(
    object({
      file: TEXT,
      receivedBytes: WHOLE,
      sizeBytes: {
        type: ["integer", "null"],
        minimum: 0,
        description: "`null` if unknown.",
      },
      format: { type: ["string", "null"], description: "`null` until it is detected." },
      recorded: {
        ...WHOLE,
        description: "Requests stored but not visible yet, including transactions and sub-results.",
      },
    }),
  ),
});

export type UploadsJson = Static<typeof UPLOADS_SCHEMA>;

export const STOPPED_SCHEMA = object({ reports: list(REPORT_SCHEMA) });
