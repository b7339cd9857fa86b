import type { ImportReport } from "../../model/import-report.ts";
import {
  checkTimeZone,
  groupingOf,
  parseInstant,
  splitRules,
} from "../../operations/decode-settings.ts";
import type { ImportRequest } from "../../operations/import-results.ts";
import { checkLoadTestId } from "../../operations/load-test-id.ts";
import { checkLoadTestName, loadTestNameAfter } from "../../operations/load-test-name.ts";
import { reportJson } from "../../render/report-json.ts";
import type { Parameter, ParameterValues } from "../parameters.ts";
import { type Answer, type Call, type GoodStatus, type Route, jsonAnswer } from "../route.ts";
import { RunningUploads } from "../running-uploads.ts";
import { Turns } from "../turns.ts";
import { ID_PARAMETER } from "./load-tests.ts";
import { REPORT_SCHEMA, STOPPED_SCHEMA, UPLOADS_SCHEMA } from "./results-schema.ts";

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
  {
    name: "groupUrls",
    description: "Whether ids in labels that are URLs become `{id}`, and values of queries.",
    required: false,
    schema: { type: "string", enum: ["false", "true"], default: "false" },
  },
  text(
    "group",
    "Paths that are one label, separated by commas: `*` is one segment, `**` the rest.",
    "/products/*,/static/**",
  ),
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
  readonly localTimeZone: () => string;
  /** Imports at once; each holds some 100 MB. */
  readonly uploadsMax: number;
  readonly waitingUploadsMax: number;
  /** Labels of one load test. */
  readonly labelsMax: number;
}

const PATH = "/Api/LoadTests/{id}/Results";

/** Uploading files of any tool and any size, seeing how far that has come, and stopping it. */
export function createResultsRoutes(dependencies: UploadDependencies): readonly Route[] {
  const running = new RunningUploads();
  return [
    createUploadRoute(dependencies, running),
    createUploadsRoute(running),
    createStopRoute(running),
  ];
}

function createUploadRoute(dependencies: UploadDependencies, running: RunningUploads): Route {
  const { uploadsMax, waitingUploadsMax } = dependencies;
  const turns = new Turns({ atOnceMax: uploadsMax, waitingMax: waitingUploadsMax });
  return {
    method: "POST",
    path: PATH,
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
      "too-many-labels",
      "unknown-load-test",
      "source-replaced",
      "too-many-uploads",
      "storage-full",
    ],
    async handle(values, call) {
      const request = requestOf(values, call, dependencies);
      const about = {
        loadTestId: request.loadTest.id,
        file: request.name,
        sizeBytes: request.sizeBytes,
        body: request.chunks,
      };
      const report = await running.run(about, (upload) =>
        turns.take(() => dependencies.importResults({ ...request, ...upload })),
      );
      return json(reportJson(report), report.alreadyImported ? 200 : 201);
    },
  };
}

function createUploadsRoute(running: RunningUploads): Route {
  return {
    method: "GET",
    path: PATH,
    operationId: "listUploads",
    summary: "How far uploads have come",
    description:
      "Tells of the files that are being received into a load test. What they hold is not to be " +
      "seen yet, and the load test may not be there yet.",
    scope: "write",
    parameters: [ID_PARAMETER],
    mediaType: "application/json",
    schema: UPLOADS_SCHEMA,
    errors: [],
    async handle(values) {
      const uploads = running.of(values.get("id") ?? "").map(({ progress, ...state }) => ({
        file: state.file,
        receivedBytes: state.receivedBytes,
        sizeBytes: state.sizeBytes ?? null,
        format: progress?.format ?? null,
        recorded: progress?.recorded ?? 0,
      }));
      return json({ uploads }, 200);
    },
  };
}

function createStopRoute(running: RunningUploads): Route {
  return {
    method: "POST",
    path: `${PATH}/Stop`,
    operationId: "stopUploads",
    summary: "Keep what was received of uploads",
    description:
      "Lets the files that are being received into a load test end where they are. What they hold " +
      "until there is imported and becomes visible. Answers once it is, with a report for each; " +
      "a file of which nothing can be read has none.",
    scope: "write",
    parameters: [ID_PARAMETER],
    mediaType: "application/json",
    schema: STOPPED_SCHEMA,
    errors: [],
    async handle(values) {
      const reports = await running.stop(values.get("id") ?? "");
      return json({ reports: reports.map(reportJson) }, 200);
    },
  };
}

function json(value: unknown, status: GoodStatus): Answer {
  return jsonAnswer(value, { isKept: false, status });
}

function requestOf(
  values: ParameterValues,
  call: Call,
  { localTimeZone, labelsMax }: UploadDependencies,
): ImportRequest {
  const id = checkLoadTestId(values.get("id") ?? "");
  const file = values.get("file");
  const name = values.get("name");
  const startedAt = values.get("startedAt");
  const group = values.get("group");
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
      timeZone: checkTimeZone(values.get("timezone") ?? localTimeZone()),
      startedAtMs: startedAt === undefined ? undefined : parseInstant(startedAt),
      labelTemplate: values.get("label"),
      labels: {
        labelsMax,
        grouping: groupingOf(
          values.get("groupUrls") === "true",
          group === undefined ? undefined : splitRules(group),
        ),
      },
    },
    inflateLimit: INFLATE_LIMIT,
  };
}
