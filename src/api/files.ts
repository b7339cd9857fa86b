import { TEXT, TIME, WHOLE } from "./parts.ts";
import { about, choice, list, named, object, optional, type Static } from "./schema.ts";

/** What identifies the bytes of a file. */
export const FILE_CONTENT = {
  id: TEXT,
  sizeBytes: WHOLE,
  sha256: { type: "string", pattern: "^[0-9a-f]{64}$" },
} as const;

export const FILE = named("KeptFile", {
  ...FILE_CONTENT,
  name: about(
    TEXT,
    "Any text; of an original the last part of its path, of an attachment as it was given. Show it as text only.",
  ),
  kind: about(choice(["original", "attachment"]), "`original`: a result file as it was imported."),
  sourceId: optional(TEXT, "For an original: the source that was read from it."),
  addedAt: TIME,
  author: optional(TEXT, "Name of the key that added it."),
});

export type FileJson = Static<typeof FILE>;

export const FILES_SCHEMA = object({ files: list(FILE, "Oldest first.") });
