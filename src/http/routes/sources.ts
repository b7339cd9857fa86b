import { UserError } from "../../model/errors.ts";
import { ID_FORM, ID_PATTERN } from "../../model/id.ts";
import { MARKS_FORM } from "../../model/marks.ts";
import type { ImportTarget } from "../../import/ensure-load-test.ts";
import { type SourceQuality, UNRECORDED } from "../../model/source-quality.ts";
import type { Member } from "../request/members.ts";
import type { Parameter } from "../request/parameters.ts";
import { JSON_CONTENT_TYPE, jsonResponse, type Route, wholeAnswer } from "../route.ts";
import { LOAD_TEST_IN_PATH } from "../schemas/selection.ts";
import { DUPLICATE_SCHEMA, FOUND_SCHEMA, SOURCES_SCHEMA } from "../../api/sources.ts";

const SOURCE_IN_PATH: Parameter = {
  name: "sourceId",
  in: "path",
  description: "Identifies the source within its load test.",
  required: true,
  schema: { type: "string", minLength: 1, pattern: ID_PATTERN },
  form: ID_FORM,
};

const MEMBERS: readonly Member[] = [
  text("name", "As the user gave it: at most 1,000 characters."),
  text("format", "Name of the format, such as jmeter-csv."),
  {
    name: "sizeBytes",
    description: "Length of its plain content.",
    required: true,
    schema: { type: "integer" },
  },
  text("digest", "Digest of its plain content: `gmac:` and 32 hex digits in lower case."),
  {
    name: "marks",
    description:
      "What recognises earlier states of the file (docs/decisions/010). Without it, size and digest " +
      "are of its bytes as given, compressed or not.",
    required: false,
    schema: { type: "string" },
  },
  {
    name: "unrecorded",
    description: "What no request of the source has.",
    required: false,
    schema: { type: "array", items: { type: "string", enum: UNRECORDED } },
  },
  count("untimedRequests", "Requests without a response time."),
  count("averagedRequests", "Requests whose response time is known in an average alone."),
  count("windowSeconds", "Length of the longest window that requests are merged into."),
  count("rejectedRows", "Rows that could not be read."),
  count("truncatedAtByte", "Where the file was cut short."),
  {
    name: "replaces",
    description: "Visible sources that it takes the place of: earlier states of the same file.",
    required: false,
    schema: { type: "array", items: { type: "string" } },
  },
];

function text(name: string, description: string): Member {
  return { name, description, required: true, schema: { type: "string" } };
}

function count(name: string, description: string): Member {
  const schema = { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;
  return { name, description, required: false, schema };
}

const PATH = "/Api/LoadTests/{id}/Sources";

/** What a load test is made of: files that were imported, and live senders. */
export function createSourceRoutes(target: ImportTarget): readonly Route[] {
  return [
    createListRoute(target),
    createPublishRoute(target),
    createRemoveRoute(target),
    createFindRoute(target),
  ];
}

function createListRoute({ loadTests, points }: ImportTarget): Route {
  return {
    method: "GET",
    path: PATH,
    operationId: "listSources",
    summary: "Sources of a load test",
    description: "Live sources with the number of their last batch, and imported files.",
    scope: "write",
    parameters: [LOAD_TEST_IN_PATH],
    mediaType: "application/json",
    schema: SOURCES_SCHEMA,
    errors: ["unknown-load-test", "damaged-store"],
    async handle(values) {
      const loadTestId = values.get("id") ?? "";
      if ((await loadTests.find(loadTestId)) === undefined) {
        const id = JSON.stringify(loadTestId.slice(0, 128));
        throw new UserError("unknown-load-test", `no load test has the id ${id}`);
      }
      const live = await points.liveSources(loadTestId);
      const published = await points.sources(loadTestId);
      return jsonResponse(
        {
          live,
          published: published.map(
            ({ sourceId, name, format, sizeBytes, digest, marks, quality }) => {
              return { sourceId, name, format, sizeBytes, digest, marks, quality };
            },
          ),
        },
        { isKept: false },
      );
    },
  };
}

function createPublishRoute({ points }: ImportTarget): Route {
  return {
    method: "POST",
    path: `${PATH}/{sourceId}/Publish`,
    operationId: "publishSource",
    summary: "Show a staged source",
    description:
      "Makes the batches of a staged source visible in one step, and takes away what it replaces " +
      "in the same step. Where the load test shows the same bytes already, nothing changes.",
    scope: "write",
    parameters: [LOAD_TEST_IN_PATH, SOURCE_IN_PATH],
    body: { kind: "members", members: MEMBERS, isOptional: false },
    mediaType: "application/json",
    schema: DUPLICATE_SCHEMA,
    errors: [
      "bad-parameter",
      "unknown-load-test",
      "source-incomplete",
      "source-replaced",
      "sum-too-large",
      "storage-full",
      "store-read-only",
    ],
    async handle(values, { members }) {
      const {
        name,
        format,
        sizeBytes,
        digest,
        marks,
        replaces = [],
        ...rest
      } = members as unknown as Published;
      const isRight =
        name.length <= 1000 &&
        format.length <= 100 &&
        sizeBytes >= 0 &&
        DIGEST.test(digest) &&
        (marks === undefined || MARKS_FORM.test(marks));
      if (!isRight) {
        throw new UserError(
          "bad-parameter",
          "expected a name of at most 1,000 characters, a format of at most 100, a size of at " +
            "least 0, a digest (gmac: and 32 hex digits in lower case), and marks as imports make them",
        );
      }
      const source = {
        loadTestId: values.get("id") ?? "",
        sourceId: values.get("sourceId") ?? "",
        name: name.toWellFormed(),
        format: format.toWellFormed(),
        sizeBytes,
        digest,
        ...(marks === undefined ? {} : { marks }),
        quality: qualityOf(rest),
      };
      return jsonResponse(await points.publish(source, replaces), { isKept: false });
    },
  };
}

function createFindRoute({ points }: ImportTarget): Route {
  return {
    method: "GET",
    path: "/Api/Sources",
    operationId: "findContent",
    summary: "Where a content is stored",
    description: "Imported files of any load test with this plain content, eldest first.",
    scope: "write",
    parameters: [
      {
        name: "sizeBytes",
        description: "Length of the plain content.",
        required: true,
        schema: { type: "integer", minimum: 0, maximum: Number.MAX_SAFE_INTEGER },
      },
      {
        name: "digest",
        description: "Digest of the plain content: `gmac:` and 32 hex digits in lower case.",
        required: true,
        schema: { type: "string", minLength: 1, pattern: DIGEST.source },
        form: "gmac: and 32 hex digits in lower case",
      },
    ],
    mediaType: "application/json",
    schema: FOUND_SCHEMA,
    errors: ["bad-parameter", "damaged-store"],
    async handle(values) {
      const content = {
        sizeBytes: Number(values.get("sizeBytes")),
        digest: values.get("digest") ?? "",
      };
      const sources = await points.findContent(content);
      return jsonResponse({ sources }, { isKept: false });
    },
  };
}

/** `undefined` where the sender says nothing of it, as earlier programs do. */
function qualityOf(given: Partial<SourceQuality>): SourceQuality | undefined {
  const { windowSeconds, truncatedAtByte } = given;
  if (windowSeconds === undefined) return undefined;
  return {
    unrecorded: given.unrecorded ?? [],
    untimedRequests: given.untimedRequests ?? 0,
    averagedRequests: given.averagedRequests ?? 0,
    windowSeconds,
    rejectedRows: given.rejectedRows ?? 0,
    ...(truncatedAtByte === undefined ? {} : { truncatedAtByte }),
  };
}

/** As the members say. */
interface Published extends Partial<SourceQuality> {
  readonly name: string;
  readonly format: string;
  readonly sizeBytes: number;
  readonly digest: string;
  readonly marks?: string;
  readonly replaces?: readonly string[];
}

const DIGEST = /^gmac:[0-9a-f]{32}$/;

function createRemoveRoute({ points }: ImportTarget): Route {
  return {
    method: "DELETE",
    path: `${PATH}/{sourceId}`,
    operationId: "removeSource",
    summary: "Take a source away",
    description:
      "Takes a source away with its points, staged or visible. Unknown ones are no error.",
    scope: "write",
    parameters: [LOAD_TEST_IN_PATH, SOURCE_IN_PATH],
    mediaType: "application/json",
    schema: {},
    statuses: [204],
    errors: ["bad-parameter", "storage-full", "store-read-only"],
    async handle(values) {
      const [loadTestId, sourceId] = [values.get("id") ?? "", values.get("sourceId") ?? ""];
      await points.discard(loadTestId, sourceId);
      await points.withdraw(loadTestId, sourceId);
      return wholeAnswer("", { contentType: JSON_CONTENT_TYPE, isKept: false, status: 204 });
    },
  };
}
