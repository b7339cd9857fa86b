import type { ImportReport } from "../../model/import-report.ts";
import { checkTimeZone, parseInstant } from "../../operations/decode-settings.ts";
import type { ImportRequest } from "../../operations/import-results.ts";
import { checkLoadTestId } from "../../operations/load-test-id.ts";
import { checkLoadTestName, loadTestNameAfter } from "../../operations/load-test-name.ts";
import { reportJson } from "../../render/report-json.ts";
import type { Parameter, ParameterValues } from "../parameters.ts";
import { type Call, type Route, wholeAnswer } from "../route.ts";
import { Turns } from "../turns.ts";
import { ID_PARAMETER } from "./load-tests.ts";
import { REPORT_SCHEMA } from "./results-schema.ts";

const PARAMETERS: readonly Parameter[] = [
  { ...ID_PARAMETER, description: "Load test to import into; created if it is not there." },
  text("file", "Name of the file, for the report and the list of sources.", "run-1.jtl.gz"),
  text("name", "Name of the load test, where it is created. Without it, that of the file."),
  text("format", "Name of the format. Without it, found by content.", "jmeter-csv"),
  text("timezone", "Zone of timestamps written without one.", "Europe/Berlin"),
  text(
    "startedAt",
    "Start of the run, for files that only tell the time since then: ISO 8601 with a zone, UNIX " +
      "seconds or milliseconds.",
    "2026-11-21T03:43:30Z",
  ),
  text("label", "Labels, with fields of the source in braces.", "{method} {url}"),
];

function text(name: string, description: string, example?: string): Parameter {
  const common = { name, description, required: false } as const;
  const schema = { type: "string", minLength: 1 } as const;
  return example === undefined ? { ...common, schema } : { ...common, schema, example };
}

/** gzip cannot inflate further than 1,032 to 1, so that only other bombs are stopped. */
const INFLATE_LIMIT = { inflatedBytes: 2 ** 42, ratio: 1100 };

/** What uploading needs from the rest of the program. */
export interface UploadDependencies {
  readonly importResults: (request: ImportRequest) => Promise<ImportReport>;
  /** Zone of this process. */
  readonly localTimeZone: string;
  /** Imports at once; each holds some 100 MB. */
  readonly uploadsMax: number;
  readonly waitingUploadsMax: number;
}

/** `POST /Api/LoadTests/{id}/Results`: a file of any tool and any size. */
export function createResultsRoute(dependencies: UploadDependencies): Route {
  const { uploadsMax, waitingUploadsMax } = dependencies;
  const turns = new Turns({ atOnceMax: uploadsMax, waitingMax: waitingUploadsMax });
  return {
    method: "POST",
    path: "/Api/LoadTests/{id}/Results",
    operationId: "uploadResults",
    summary: "Import a result file",
    description:
      "Imports the body, a result file of any tool and any size, compressed with gzip or zstd or " +
      "not at all. It becomes visible in one step once all of it is there. 201: something was " +
      "added; 200: the same bytes were in the load test already. Rows that cannot be read are no " +
      "error: the report counts them and lists the first.",
    scope: "write",
    parameters: PARAMETERS,
    body: {
      kind: "stream",
      description: "The file itself.",
      bytesMax: Infinity,
      contentEncoding: "kept",
    },
    mediaType: "application/json",
    schema: REPORT_SCHEMA,
    statuses: [200, 201],
    errors: [
      "bad-parameter",
      "bad-load-test-id",
      "unreadable-source",
      "source-too-large",
      "sum-too-large",
      "label-too-long",
      "unknown-load-test",
      "source-replaced",
      "too-many-uploads",
      "storage-full",
    ],
    async handle(values, call) {
      const request = requestOf(values, call, dependencies.localTimeZone);
      const report = await turns.take(() => dependencies.importResults(request));
      return wholeAnswer(JSON.stringify(reportJson(report)), {
        contentType: "application/json; charset=utf-8",
        isKept: false,
        status: report.alreadyImported ? 200 : 201,
      });
    },
  };
}

function requestOf(values: ParameterValues, call: Call, localTimeZone: string): ImportRequest {
  const id = checkLoadTestId(values.get("id") ?? "");
  const file = values.get("file");
  const name = values.get("name");
  const startedAt = values.get("startedAt");
  return {
    loadTest: {
      id,
      name: name === undefined ? loadTestNameAfter(file ?? "", id) : checkLoadTestName(name),
    },
    name: file ?? "upload",
    sizeBytes: call.bodyBytes,
    chunks: call.body,
    format: values.get("format"),
    decodeOptions: {
      timeZone: checkTimeZone(values.get("timezone") ?? localTimeZone),
      startedAtMs: startedAt === undefined ? undefined : parseInstant(startedAt),
      labelTemplate: values.get("label"),
    },
    inflateLimit: INFLATE_LIMIT,
  };
}
