import { UserError } from "../../model/errors.ts";
import { requireLoadTest } from "../../model/load-test.ts";
import { ID_FORM, ID_PATTERN } from "../../model/id.ts";
import { isExtent, MARKS_FORM, type SourceQuality } from "../../model/source-quality.ts";
import type { ImportTarget } from "../../import/ensure-load-test.ts";
import { addRowQuality } from "../../model/quality/row-quality.ts";
import {
  flagParameter,
  integerParameter,
  pathParameter,
  type Parameter,
} from "../request/parameters.ts";
import { NO_CONTENT, jsonResponse, type Route, STORE_ERRORS } from "../route.ts";
import { idOf, LOAD_TEST_IN_PATH } from "../request/selection.ts";
import {
  DUPLICATE_SCHEMA,
  FOUND_SCHEMA,
  PUBLICATION,
  type Publication,
  SOURCES_SCHEMA,
} from "../../api/sources.ts";

const SOURCE_IN_PATH: Parameter = {
  ...pathParameter("sourceId", "Identifies the source within its load test."),
  schema: { type: "string", minLength: 1, pattern: ID_PATTERN },
  form: ID_FORM,
};

const PATH = "/Api/LoadTests/{id}/Sources";

const DIGEST = /^gmac:[0-9a-f]{32}$/;

/** The sources of a load test: imported files and live senders. */
export function createSourceRoutes({ loadTests, points }: ImportTarget): readonly Route[] {
  return [
    {
      method: "GET",
      path: PATH,
      operationId: "listSources",
      summary: "Sources of a load test",
      description: "Live sources with the number of their last batch, and imported files.",
      scope: "write",
      parameters: [LOAD_TEST_IN_PATH],
      schema: SOURCES_SCHEMA,
      errors: ["unknown-load-test", "damaged-store"],
      async handle(values) {
        const loadTestId = idOf(values);
        requireLoadTest(await loadTests.find(loadTestId), loadTestId);
        const live = await points.liveSources(loadTestId);
        const published = await points.sources(loadTestId);
        return jsonResponse({
          live,
          published: published.map(
            ({ sourceId, name, format, sizeBytes, digest, marks, quality }) => {
              return { sourceId, name, format, sizeBytes, digest, marks, quality };
            },
          ),
        });
      },
    },
    {
      method: "POST",
      path: `${PATH}/{sourceId}/Publish`,
      operationId: "publishSource",
      summary: "Publish a staged source",
      description:
        "Makes the batches of a staged source visible and removes the sources it replaces, in one " +
        "step. If the load test already shows the same bytes, nothing changes.",
      scope: "write",
      parameters: [LOAD_TEST_IN_PATH, SOURCE_IN_PATH],
      body: { kind: "members", schema: PUBLICATION, isOptional: false },
      schema: DUPLICATE_SCHEMA,
      errors: [
        "bad-parameter",
        "unknown-load-test",
        "source-incomplete",
        "source-replaced",
        "sum-too-large",
        ...STORE_ERRORS,
      ],
      async handle(values, { members }) {
        const publication = members as Publication;
        const {
          name,
          format,
          sizeBytes,
          digest,
          marks,
          extent,
          replaces = [],
          batches,
        } = publication;
        const isRight =
          name.length <= 1000 &&
          format.length <= 100 &&
          !/\p{Cc}/u.test(format) &&
          (extent === undefined || isExtent(extent)) &&
          DIGEST.test(digest) &&
          (marks === undefined || MARKS_FORM.test(marks));
        if (!isRight) {
          throw new UserError(
            "bad-parameter",
            "expected a name of at most 1,000 characters, a format of at most 100, none of control, a digest (gmac: and " +
              "32 lower-case hex digits), marks as imports create them, and an extent from a second of at least 1 to no earlier one",
          );
        }
        const source = {
          loadTestId: idOf(values),
          sourceId: values.get("sourceId") ?? "",
          name: name.toWellFormed(),
          format: format.toWellFormed(),
          sizeBytes,
          digest,
          ...(marks === undefined ? {} : { marks }),
          quality: qualityOf(publication),
        };
        return jsonResponse(await points.publish(source, replaces, batches));
      },
    },
    {
      method: "DELETE",
      path: `${PATH}/{sourceId}`,
      operationId: "removeSource",
      summary: "Delete a source",
      description:
        "Deletes a source and its data points, staged or visible. An unknown source is not an error.",
      scope: "write",
      parameters: [
        LOAD_TEST_IN_PATH,
        SOURCE_IN_PATH,
        flagParameter("staged", "Delete it only if it is not visible."),
      ],
      statuses: [204],
      errors: ["bad-parameter", ...STORE_ERRORS],
      async handle(values) {
        const [loadTestId, sourceId] = [idOf(values), values.get("sourceId") ?? ""];
        await points.discard(loadTestId, sourceId);
        if (values.get("staged") !== "true") await points.withdraw(loadTestId, sourceId);
        return NO_CONTENT;
      },
    },
    {
      method: "GET",
      path: "/Api/Sources",
      operationId: "findContent",
      summary: "Find stored content",
      description:
        "Lists the imported files with this uncompressed content in all load tests, oldest first.",
      scope: "write",
      parameters: [
        {
          ...integerParameter("sizeBytes", "Length of the uncompressed content.", {
            minimum: 0,
            maximum: Number.MAX_SAFE_INTEGER,
          }),
          required: true,
        },
        {
          name: "digest",
          description: "Digest of the uncompressed content: `gmac:` and 32 lower-case hex digits.",
          required: true,
          schema: { type: "string", minLength: 1, pattern: DIGEST.source },
          form: "gmac: and 32 lower-case hex digits",
        },
      ],
      schema: FOUND_SCHEMA,
      errors: ["bad-parameter", "damaged-store"],
      async handle(values) {
        const sizeBytes = Number(values.get("sizeBytes"));
        const digest = values.get("digest") ?? "";
        return jsonResponse({ sources: await points.findContent({ sizeBytes, digest }) });
      },
    },
  ];
}

function qualityOf(given: Publication): SourceQuality {
  const { unrecorded, untimedRequests, averagedRequests, windowSeconds, truncatedAtByte, extent } =
    given;
  return {
    unrecorded,
    untimedRequests,
    averagedRequests,
    windowSeconds,
    ...(addRowQuality([given]) ?? { rejectedRows: 0 }),
    ...(truncatedAtByte === undefined ? {} : { truncatedAtByte }),
    ...(extent === undefined ? {} : { extent }),
  };
}
