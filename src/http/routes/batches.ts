import { APPENDED_SCHEMA } from "../../api/sources.ts";
import type { ImportTarget } from "../../import/ensure-load-test.ts";
import { BATCH_BYTES_MAX, decodeBatch } from "../../wire/batch.ts";
import { samplesWithoutSecrets } from "../../wire/samples-without-secrets.ts";
import type { HeldBytes } from "../request/held-bytes.ts";
import { type Route, jsonResponse, STORE_ERRORS } from "../route.ts";
import { idOf, LOAD_TEST_IN_PATH } from "../request/selection.ts";

/** `POST /Api/LoadTests/{id}/Batches`: what `import --url` sends. */
export function createBatchesRoute(
  { points }: Pick<ImportTarget, "points">,
  held: HeldBytes,
  keepsSamples: boolean,
): Route {
  return {
    method: "POST",
    path: "/Api/LoadTests/{id}/Batches",
    operationId: "appendBatch",
    summary: "Add a batch of data points",
    description:
      "Adds measurements of a source, exactly once: repeating a batch (source and sequence number) " +
      "changes nothing and returns `duplicate`. The response is sent after the batch is stored " +
      "durably. See docs/internals/formats/batch.md for the format.",
    scope: "write",
    audited: "once",
    parameters: [LOAD_TEST_IN_PATH],
    body: {
      kind: "stream",
      description: "The batch, uncompressed or with `Content-Encoding` gzip or zstd.",
      bytesMax: BATCH_BYTES_MAX,
      contentEncoding: "decoded",
    },
    schema: APPENDED_SCHEMA,
    errors: [
      "bad-batch",
      "unknown-load-test",
      "sequence-reused",
      "source-moved-on",
      "label-too-long",
      "too-many-labels",
      "sum-too-large",
      ...STORE_ERRORS,
      "busy",
    ],
    handle: (values, { body }) =>
      held.readingWhole(body, async (bytes) => {
        const { samples, ...batch } = decodeBatch(bytes);
        const isKept = keepsSamples && samples !== undefined;
        const kept = isKept ? { samples: await samplesWithoutSecrets(samples) } : {};
        const appended = await points.append({ loadTestId: idOf(values), ...batch, ...kept });
        const { revisions: _, ...answer } = appended;
        return jsonResponse(answer);
      }),
  };
}
