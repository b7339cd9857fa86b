import { createHash } from "node:crypto";
import type { PublishedSource, SourceReading } from "../../store/store.ts";

/** A live source whose sender did not tell a format. */
const UNKNOWN_FORMAT = "unknown";

/**
 * What a source is published as where it is copied to. What was published stays what it was, so that
 * the same file is known there, too. A live source is closed by it: its name is its id, and its digest
 * one that no file has.
 */
export function copiedSource(
  { sourceId, published, format }: Pick<SourceReading, "sourceId" | "published" | "format">,
  loadTestId: string,
): PublishedSource {
  if (published !== undefined) return published;
  const digest = createHash("sha256").update(`live source ${sourceId}`).digest("hex");
  return {
    loadTestId,
    sourceId,
    name: sourceId,
    format: format ?? UNKNOWN_FORMAT,
    sizeBytes: 0,
    digest,
  };
}
