import { createHash } from "node:crypto";
import { formatQuality } from "../decode/format-quality.ts";
import type { QualityCounter, SourceQuality } from "../model/source-quality.ts";
import type { PublishedSource, SourceReading, VisibleSource } from "../store/snapshot.ts";

const UNKNOWN_FORMAT = "unknown";

/**
 * Returns how a source is published in the target. Published sources stay as they are, so that the same file is
 * recognised. A live source is closed: its id becomes its name, its digest matches no file.
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

/** Returns the quality of a live source from its batches and points; its rejected rows are unknown. */
export function liveQualityOf(
  { format, unrecorded = formatQuality(format).unrecorded }: VisibleSource,
  { counted }: Pick<QualityCounter, "counted">,
): SourceQuality {
  return { ...counted, unrecorded, rejectedRows: 0 };
}
