import { TEXT, WHOLE } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

/** Of `GET /Api/Tags`. */
export const TAG_COUNTS = object({
  loadTests: { ...WHOLE, description: "Load tests that were looked at." },
  tags: list(
    object({ tag: TEXT, loadTests: WHOLE }),
    "The most frequent first, equal ones ascending by UTF-8 bytes.",
  ),
});

export type TagCounts = Static<typeof TAG_COUNTS>;
