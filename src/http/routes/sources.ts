import { UserError } from "../../model/errors.ts";
import type { ImportTarget } from "../../operations/import-target.ts";
import type { Member } from "../members.ts";
import type { Parameter } from "../parameters.ts";
import { JSON_CONTENT_TYPE, jsonAnswer, type Route, wholeAnswer } from "../route.ts";
import { LOAD_TEST_IN_PATH } from "./selection.ts";

const SOURCE_IN_PATH: Parameter = {
  name: "sourceId",
  in: "path",
  description: "Identifies the source within its load test.",
  required: true,
  schema: { type: "string", minLength: 1, pattern: "^[A-Za-z0-9._-]{1,128}$" },
  form: "1 to 128 of A-Z a-z 0-9 . _ -",
};

const MEMBERS: readonly Member[] = [
  text("name", "As the user gave it: at most 1,000 characters."),
  text("format", "Name of the format, such as jmeter-csv."),
  { name: "sizeBytes", description: "Length.", required: true, schema: { type: "integer" } },
  text("digest", "Digest of its bytes: `gmac:` and 32 hex digits in lower case."),
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

const TEXT = { type: "string" };
const WHOLE = { type: "integer", minimum: 0 };

const SOURCES_SCHEMA = {
  type: "object",
  required: ["live", "published"],
  properties: {
    live: {
      type: "array",
      items: {
        type: "object",
        required: ["sourceId", "lastSequence"],
        properties: { sourceId: TEXT, lastSequence: WHOLE },
      },
    },
    published: {
      type: "array",
      items: {
        type: "object",
        required: ["sourceId", "name", "format", "sizeBytes", "digest"],
        properties: { sourceId: TEXT, name: TEXT, format: TEXT, sizeBytes: WHOLE, digest: TEXT },
      },
    },
  },
};

const DUPLICATE_SCHEMA = {
  type: "object",
  required: ["duplicate"],
  properties: { duplicate: { type: "boolean", description: "The same bytes were there already." } },
};

const PATH = "/Api/LoadTests/{id}/Sources";

/** What a load test is made of: files that were imported, and live senders. */
export function createSourceRoutes(target: ImportTarget): readonly Route[] {
  return [createListRoute(target), createPublishRoute(target), createRemoveRoute(target)];
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
      return jsonAnswer(
        {
          live,
          published: published.map(({ sourceId, name, format, sizeBytes, digest }) => {
            return { sourceId, name, format, sizeBytes, digest };
          }),
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
    ],
    async handle(values, { members }) {
      const { name, format, sizeBytes, digest, replaces = [] } = members as unknown as Published;
      const isRight =
        name.length <= 1000 && format.length <= 100 && sizeBytes >= 0 && DIGEST.test(digest);
      if (!isRight) {
        throw new UserError(
          "bad-parameter",
          "expected a name of at most 1,000 characters, a format of at most 100, a size of at " +
            "least 0, and a digest: gmac: and 32 hex digits in lower case",
        );
      }
      const source = {
        loadTestId: values.get("id") ?? "",
        sourceId: values.get("sourceId") ?? "",
        name: name.toWellFormed(),
        format: format.toWellFormed(),
        sizeBytes,
        digest,
      };
      return jsonAnswer(await points.publish(source, replaces), { isKept: false });
    },
  };
}

/** As the members say. */
interface Published {
  readonly name: string;
  readonly format: string;
  readonly sizeBytes: number;
  readonly digest: string;
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
    errors: ["bad-parameter", "storage-full"],
    async handle(values) {
      const [loadTestId, sourceId] = [values.get("id") ?? "", values.get("sourceId") ?? ""];
      await points.discard(loadTestId, sourceId);
      await points.withdraw(loadTestId, sourceId);
      return wholeAnswer("", { contentType: JSON_CONTENT_TYPE, isKept: false, status: 204 });
    },
  };
}
