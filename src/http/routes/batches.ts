import { DUPLICATE_SCHEMA } from "../../api/sources.ts";
import type { ImportTarget } from "../../import/ensure-load-test.ts";
import { BATCH_BYTES_MAX, decodeBatch } from "../../wire/batch.ts";
import type { HeldBytes } from "../request/held-bytes.ts";
import { type Route, jsonResponse } from "../route.ts";
import { LOAD_TEST_IN_PATH } from "../request/selection.ts";

/** `POST /Api/LoadTests/{id}/Batches`: what `import --url` sends. */
export function createBatchesRoute(
  { points }: Pick<ImportTarget, "points">,
  held: HeldBytes,
): Route {
  return {
    method: "POST",
    path: "/Api/LoadTests/{id}/Batches",
    operationId: "appendBatch",
    summary: "Add a batch of data points",
    description:
      "Adds what a part of a source measured, exactly once: the same batch (source and sequence " +
      "number) again changes nothing and is answered with `duplicate`. What is answered is stored " +
      "durably. The form of a batch is described in docs/internals/formats/batch.md.",
    scope: "write",
    parameters: [LOAD_TEST_IN_PATH],
    body: {
      kind: "stream",
      description: "The batch, compressed with gzip or zstd (`Content-Encoding`) or not at all.",
      bytesMax: BATCH_BYTES_MAX,
      contentEncoding: "decoded",
    },
    mediaType: "application/json",
    schema: DUPLICATE_SCHEMA,
    errors: [
      "bad-batch",
      "unknown-load-test",
      "sequence-reused",
      "source-moved-on",
      "label-too-long",
      "too-many-labels",
      "sum-too-large",
      "storage-full",
      "store-read-only",
      "busy",
    ],
    handle: (values, { body }) =>
      held.reading(body, async (chunks) => {
        const loadTestId = values.get("id") ?? "";
        const { duplicate } = await points.append({
          loadTestId,
          ...decodeBatch(Buffer.concat(chunks)),
        });
        return jsonResponse({ duplicate }, { isCacheable: false });
      }),
  };
}
