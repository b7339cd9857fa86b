import type { ImportTarget } from "../../operations/import-target.ts";
import { BATCH_BYTES_MAX, decodeBatch } from "../../wire/batch.ts";
import { HttpError } from "../http-error.ts";
import { type Route, jsonAnswer } from "../route.ts";
import { LOAD_TEST_IN_PATH } from "./selection.ts";

/** Batches that are being taken at once may hold so much; the sender of a further one waits. */
const HELD_BYTES_MAX = 96 * 1024 * 1024;

const RETRY_AFTER = "1";

/** `POST /Api/LoadTests/{id}/Batches`: what `import --url` sends. */
export function createBatchesRoute({ points }: Pick<ImportTarget, "points">): Route {
  const held = new HeldBytes();
  return {
    method: "POST",
    path: "/Api/LoadTests/{id}/Batches",
    operationId: "appendBatch",
    summary: "Add a batch of data points",
    description:
      "Adds what a part of a source measured, exactly once: the same batch (source and sequence " +
      "number) again changes nothing and is answered with `duplicate`. What is answered is stored " +
      "durably. The form of a batch is described in docs/formats/batch.md.",
    scope: "write",
    parameters: [LOAD_TEST_IN_PATH],
    body: {
      kind: "stream",
      description: "The batch, compressed with gzip or zstd (`Content-Encoding`) or not at all.",
      bytesMax: BATCH_BYTES_MAX,
      contentEncoding: "decoded",
    },
    mediaType: "application/json",
    schema: {
      type: "object",
      required: ["duplicate"],
      properties: { duplicate: { type: "boolean", description: "It was there already." } },
    },
    errors: [
      "bad-batch",
      "unknown-load-test",
      "sequence-reused",
      "source-moved-on",
      "label-too-long",
      "too-many-labels",
      "sum-too-large",
      "storage-full",
      "busy",
    ],
    handle: (values, { body }) =>
      held.reading(body, async (bytes) => {
        const loadTestId = values.get("id") ?? "";
        const { duplicate } = await points.append({ loadTestId, ...decodeBatch(bytes) });
        return jsonAnswer({ duplicate }, { isKept: false });
      }),
  };
}

/** Bounds the memory of bodies that are held whole until they are stored. */
class HeldBytes {
  #held = 0;

  async reading<Result>(
    body: AsyncIterable<Uint8Array>,
    use: (bytes: Uint8Array) => Promise<Result>,
  ): Promise<Result> {
    const copies: Uint8Array[] = [];
    let own = 0;
    try {
      for await (const piece of body) {
        if (this.#held + piece.length > HELD_BYTES_MAX) {
          throw new HttpError("busy", "too many batches at once: send it again in a second", {
            headers: { "Retry-After": RETRY_AFTER },
          });
        }
        own += piece.length;
        this.#held += piece.length;
        copies.push(Buffer.from(piece));
      }
      return await use(Buffer.concat(copies));
    } finally {
      this.#held -= own;
    }
  }
}
