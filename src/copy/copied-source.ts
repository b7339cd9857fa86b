import { createHash } from "node:crypto";
import { formatQuality } from "../decode/format-quality.ts";
import type { QualityCounter, SourceQuality } from "../model/source-quality.ts";
import type { PublishedSource, SourceReading, VisibleSource } from "../store/snapshot.ts";

/** A live source whose sender did not tell a format. */
const UNKNOWN_FORMAT = "unknown";

/**
 * What a source is published as where it is copied to. What was published stays what it was, so that
 * the same file is known there, too. A live source is closed by it: its name is its id, its digest one
 * that no file has, and `liveQuality` its quality.
 */
export function copiedSource(
  { sourceId, published, format }: Pick<SourceReading, "sourceId" | "published" | "format">,
  loadTestId: string,
  liveQuality: SourceQuality | undefined,
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
    ...(liveQuality === undefined ? {} : { quality: liveQuality }),
  };
}

/** Quality of a live source, whose rejected rows only its sender knows, by its batches and its points. */
export function liveQualityOf(
  { format, unrecorded = formatQuality(format).unrecorded }: VisibleSource,
  { counted }: Pick<QualityCounter, "counted">,
): SourceQuality {
  return { ...counted, unrecorded, rejectedRows: 0 };
}
