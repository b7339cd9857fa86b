import { REPAIRS } from "../model/quality/repairs.ts";
import { FILE_CONTENT } from "./files.ts";
import { FLAG, SECOND_OR_NULL, TEXT, TEXT_OR_NULL, WHOLE, WHOLE_OR_NULL } from "./parts.ts";
import { about, choice, list, named, object, type Static } from "./schema.ts";

const POSITIVE = { type: "integer", minimum: 1 } as const;

const REJECTION = named("Rejection", { line: POSITIVE, byte: WHOLE, reason: TEXT });

const REPAIR = named("Repair", {
  kind: choice(REPAIRS),
  rows: POSITIVE,
  message: about(TEXT, "What is unknown, such as `without a readable response time`."),
  places: list(REJECTION, "The first 5 of them."),
});

const OTHER = named("OtherRequests", {
  requests: POSITIVE,
  labels: {
    type: ["integer", "null"],
    minimum: 1,
    description: "Number of labels; `null` if there were too many to count.",
  },
  labelsMax: about(POSITIVE, "Maximum number of labels per load test."),
});

const ORIGINAL = named("Original", FILE_CONTENT);

/** The report of an upload, as `tachograph import --json` prints it. */
export const REPORT_SCHEMA = named("ImportReport", {
  loadTestId: TEXT,
  format: about(TEXT, "Name of the format, as accepted by `format`."),
  source: TEXT,
  samples: about(
    object({ read: WHOLE, recorded: WHOLE, rejected: WHOLE }),
    "Records of the file: rows, or windows of many requests. `read` is the sum of `recorded` and " +
      "`rejected`.",
  ),
  requests: about(
    WHOLE,
    "Transactions and sub-results are excluded, unless there is nothing else.",
  ),
  failedRequests: about(WHOLE, "Of `requests`."),
  transactions: about(WHOLE, "Transaction rows."),
  subresults: about(WHOLE, "Sub-result rows."),
  endpoints: WHOLE,
  other: {
    oneOf: [{ type: "null" }, OTHER],
    description: "Requests of labels over the limit, counted under `(other)`.",
  },
  from: about(SECOND_OR_NULL, "First UNIX second with a sample."),
  until: about(SECOND_OR_NULL, "Last UNIX second with a sample, included."),
  rejections: list(REJECTION, "The first 20 rejected rows."),
  repairs: list(REPAIR, "Recorded rows of which something is unknown."),
  truncatedAt: {
    oneOf: [{ type: "null" }, REJECTION],
    description: "Where the file was truncated: inside a record, or before its closing part.",
  },
  alreadyImported: about(
    FLAG,
    "The load test already had the same content or a later state of it: nothing changed.",
  ),
  original: {
    oneOf: [{ type: "null" }, ORIGINAL],
    description: "The original that was kept; `null`: none.",
  },
  notes: list(TEXT),
  elapsedSeconds: { type: "number", minimum: 0 },
});

export type ReportJson = Static<typeof REPORT_SCHEMA>;

export const UPLOADS_SCHEMA = object({
  uploads: list(
    object({
      file: TEXT,
      receivedBytes: WHOLE,
      sizeBytes: about(WHOLE_OR_NULL, "`null` if unknown."),
      format: about(TEXT_OR_NULL, "`null` until it is detected."),
      recorded: about(
        WHOLE,
        "Requests stored but not visible yet, including transactions and sub-results.",
      ),
    }),
  ),
});

export type UploadsJson = Static<typeof UPLOADS_SCHEMA>;

export const STOPPED_SCHEMA = object({ reports: list(REPORT_SCHEMA) });
