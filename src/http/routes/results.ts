import { ATTRIBUTES, checkLoadTestName } from "../../model/load-test/attributes.ts";
import {
  REPORT_SCHEMA,
  STOPPED_SCHEMA,
  UPLOADS_SCHEMA,
  type UploadsJson,
} from "../../api/imports.ts";
import type { Semaphore } from "../../concurrency/semaphore.ts";
import type { ImportReport } from "../../model/import-report.ts";
import {
  checkEncoding,
  choiceOf,
  checkTimestampFormat,
  checkValueUnit,
  checkTimeZone,
  groupingOf,
  parseInstant,
  samplesOf,
  splitRules,
} from "../../import/decode-settings.ts";
import type { ImportRequest } from "../../import/import-results.ts";
import { checkLoadTestId, loadTestNameAfter } from "../../import/load-test-id.ts";
import { baseNameOf, fileTooLarge } from "../../model/kept-file.ts";
import { reportJson } from "../../render/load-test-json.ts";
import type { FacetLimits } from "../../model/series/facets.ts";
import {
  FACET_PARAMETERS,
  type Parameter,
  type ParameterValues,
  facetOptionsIn,
  flagParameter,
  textParameter,
} from "../request/parameters.ts";
import { atLeastRate } from "../request/least-rate.ts";
import { type Call, type Route, jsonResponse, STORE_ERRORS } from "../route.ts";
import { RunningUploads } from "../request/running-uploads.ts";
import { idOf, LOAD_TEST_IN_PATH } from "../request/selection.ts";

const FILE_PARAMETERS: readonly Parameter[] = [
  textParameter(
    "file",
    "Name of the file, for the report and the list of sources.",
    "run-1.jtl.gz",
  ),
  textParameter("name", "Name of the load test if it is created. Default: the file's name."),
  textParameter("tags", "Its tags if it is created, separated by commas.", "main,nightly"),
  textParameter("format", "Name of the format. Default: detected by content.", "jmeter-csv"),
  textParameter("timezone", "Time zone of timestamps that have none.", "Europe/Berlin"),
  textParameter(
    "timestampFormat",
    "Form of timestamps in JMeter CSV, in letters of Java's SimpleDateFormat.",
    "dd/MM/yyyy HH:mm:ss",
  ),
  textParameter("encoding", "Encoding of a file that is not UTF-8.", "windows-1251"),
  textParameter(
    "startedAt",
    "Start of the run, for files with relative times only: ISO 8601 with a zone, UNIX seconds or " +
      "milliseconds.",
    "2026-11-21T03:43:30Z",
  ),
  textParameter("valueUnit", "Unit of a log of HdrHistogram: `ns`, `us` or `ms`.", "us"),
  textParameter(
    "label",
    "Template of labels, with fields of the source in braces.",
    "{method} {url}",
  ),
  flagParameter(
    "groupUrls",
    "Whether to replace ids and query values in labels that are URLs by `{id}`.",
  ),
  textParameter(
    "group",
    "Path patterns to group into one label each, separated by commas: `*` matches one segment, " +
      "`**` the rest.",
    "/products/*,/static/**",
  ),
  textParameter(
    "measure",
    "Labels that are measures of the load test, not requests, separated by commas; `*`, in at most 100 of them, stands for any characters.",
    "ttft *",
  ),
  textParameter("ignore", "Labels to leave out, in the same form.", "Debug Sampler"),
  ...FACET_PARAMETERS,
  flagParameter("keepFile", "Whether to keep the file itself, byte for byte."),
  flagParameter("noSamples", "Whether to keep no request whole."),
  flagParameter(
    "allowEmpty",
    "Whether to import a file without rows, which is `empty-source` otherwise.",
  ),
];

/** gzip inflates at most 1,032 to 1, so this only stops other bombs. */
const INFLATE_LIMIT = { inflatedBytes: 2 ** 42, ratio: 1100 };

export interface UploadDependencies extends FacetLimits {
  readonly importResults: (request: ImportRequest) => Promise<ImportReport>;
  readonly createLoadTestId: () => string;
  readonly localTimeZone: () => string;
  /** Simultaneous imports of all projects; each takes about 100 MB. */
  readonly imports: Semaphore;
  readonly uploadBytesPerSecondMin: number;
  /** Labels per load test. */
  readonly labelsMax: number;
  /** Bytes of requests kept whole; 0: none. */
  readonly sampleBytesMax: number;
  /** Of an original; 0: none is kept. */
  readonly keptFileBytesMax: number;
}

const PATH = "/Api/LoadTests/{id}/Results";

interface Uploading extends UploadDependencies {
  readonly running: RunningUploads;
}

/** Uploads of result files: start, progress, stop. */
export function createResultsRoutes(dependencies: UploadDependencies): readonly Route[] {
  const running = new RunningUploads();
  const uploading = { ...dependencies, running };
  return [
    {
      ...uploadOf(uploading, (values) => ({
        id: checkLoadTestId(idOf(values)),
        isOnlyNew: values.get("onlyNew") === "true",
      })),
      path: PATH,
      operationId: "uploadResults",
      summary: "Import a result file",
      description:
        "Imports the body: a result file of any supported tool and any size, uncompressed, gzip or " +
        "zstd. It becomes visible in one step when it is complete. 201: data were added; 200: the " +
        "load test already had the same content or a later state of it. Malformed rows are not an " +
        "error: the report counts them and lists the first ones.",
      parameters: [
        {
          ...LOAD_TEST_IN_PATH,
          description: "Load test to import into; created if it does not exist.",
        },
        flagParameter(
          "onlyNew",
          "Whether to add nothing if another load test already has the content: the report then names that one.",
        ),
        ...FILE_PARAMETERS,
      ],
    },
    {
      method: "GET",
      path: PATH,
      operationId: "listUploads",
      summary: "Progress of uploads",
      description:
        "Lists the running uploads of a load test. Their data are not visible yet, and the load test " +
        "may not exist yet.",
      scope: "write",
      parameters: [LOAD_TEST_IN_PATH],
      schema: UPLOADS_SCHEMA,
      async handle(values) {
        const uploads: UploadsJson["uploads"] = running
          .of(idOf(values))
          .map(({ progress, sizeBytes = null, ...upload }) => ({
            ...upload,
            sizeBytes,
            format: progress?.format ?? null,
            recorded: progress?.recorded ?? 0,
          }));
        return jsonResponse({ uploads });
      },
    },
    {
      method: "POST",
      path: `${PATH}/Stop`,
      operationId: "stopUploads",
      summary: "Stop uploads and keep the received part",
      description:
        "Ends the running uploads of a load test, imports what was received and makes it visible. " +
        "Responds afterwards with one report per file; a file without readable content has none.",
      scope: "write",
      parameters: [LOAD_TEST_IN_PATH],
      schema: STOPPED_SCHEMA,
      async handle(values) {
        const reports = await running.stop(idOf(values));
        return jsonResponse({ reports: reports.map(reportJson) });
      },
    },
    {
      ...uploadOf(uploading, (values) => ({
        id: uploading.createLoadTestId(),
        isOnlyNew: values.get("again") !== "true",
      })),
      path: "/Api/Results",
      operationId: "uploadNewResults",
      summary: "Import a result file into a new load test",
      description:
        "Imports the body into a new load test; the report contains its id. 200: a load test already " +
        "has the same content; nothing was added, and `loadTestId` is that load test.",
      parameters: [
        flagParameter("again", "Whether to import content that a load test already has."),
        ...FILE_PARAMETERS,
      ],
    },
  ];
}

/** Common part of both upload routes. */
function uploadOf(
  uploading: Uploading,
  aimOf: (values: ParameterValues) => Pick<ImportRequest, "isOnlyNew"> & { readonly id: string },
) {
  const { running, imports } = uploading;
  const leastRate = {
    bytesPerSecondMin: uploading.uploadBytesPerSecondMin,
    isAwaited: () => imports.isAwaited,
  };
  return {
    method: "POST",
    scope: "write",
    body: {
      kind: "stream",
      description: "The file itself.",
      bytesMax: Infinity,
      contentEncoding: "kept",
    },
    schema: REPORT_SCHEMA,
    statuses: [200, 201],
    errors: [
      "bad-parameter",
      "bad-load-test-id",
      "unreadable-source",
      "empty-source",
      "source-too-large",
      "sum-too-large",
      "label-too-long",
      "too-many-labels",
      "unknown-load-test",
      "source-replaced",
      "too-many-uploads",
      "file-too-large",
      ...STORE_ERRORS,
    ],
    async handle(values: ParameterValues, call: Call) {
      const { id, isOnlyNew } = aimOf(values);
      const request = { ...requestOf(values, call, { ...uploading, id }), isOnlyNew };
      const about = {
        loadTestId: id,
        file: request.name,
        sizeBytes: request.sizeBytes,
        body: atLeastRate(request.chunks, leastRate),
      };
      const report = await running.run(about, (upload) =>
        imports.run(call.key?.name ?? "", () => uploading.importResults({ ...request, ...upload })),
      );
      const status = report.alreadyImported ? 200 : 201;
      return jsonResponse(reportJson(report), { status, targets: [report.loadTestId] });
    },
  } as const satisfies Partial<Route>;
}

function requestOf(
  values: ParameterValues,
  call: Call,
  { id, ...dependencies }: UploadDependencies & { readonly id: string },
): ImportRequest {
  const { localTimeZone, labelsMax, sampleBytesMax, keptFileBytesMax } = dependencies;
  const file = values.get("file");
  const startedAt = values.get("startedAt");
  const group = values.get("group");
  const rules = group === undefined ? undefined : splitRules(group);
  return {
    loadTest: loadTestOf(values, id),
    isEmptyAllowed: values.get("allowEmpty") === "true",
    name: file ?? "upload",
    sizeBytes: call.bodyBytes,
    chunks: call.body,
    format: values.get("format"),
    keep:
      values.get("keepFile") === "true" ? keepRequestOf(call, file, keptFileBytesMax) : undefined,
    decodeOptions: {
      timeZone: checkTimeZone(values.get("timezone") ?? localTimeZone()),
      startedAtMs: startedAt === undefined ? undefined : parseInstant(startedAt),
      labelTemplate: values.get("label"),
      timestampFormat: checkTimestampFormat(values.get("timestampFormat")),
      encoding: checkEncoding(values.get("encoding")),
      valueUnit: checkValueUnit(values.get("valueUnit")),
      facets: facetOptionsIn(values, dependencies),
      choice: choiceOf(values.get("measure")?.split(","), values.get("ignore")?.split(",")),
      labels: { labelsMax, grouping: groupingOf(values.get("groupUrls") === "true", rules) },
      samples: samplesOf(values.get("noSamples") === "true" ? 0 : sampleBytesMax, undefined),
    },
    inflateLimit: INFLATE_LIMIT,
  };
}

function loadTestOf(values: ParameterValues, id: string): ImportRequest["loadTest"] {
  const [name, file = ""] = [values.get("name"), values.get("file")];
  return {
    id,
    name:
      name === undefined
        ? loadTestNameAfter(baseNameOf(file) || file, id)
        : checkLoadTestName(name),
    tags: ATTRIBUTES.tags.check(values.get("tags")?.split(",") ?? []),
  };
}

/** Throws `file-too-large` before anything is read, if the length is announced. */
function keepRequestOf(
  { key, bodyBytes = 0 }: Call,
  name = "upload",
  bytesMax: number,
): ImportRequest["keep"] {
  if (bytesMax === 0 || bodyBytes > bytesMax) throw fileTooLarge({ name }, bytesMax);
  return { bytesMax, author: key?.name };
}
