import type { ImportReport, Rejection } from "../model/import-report.ts";

export type Places = Pick<ImportReport, "rejections" | "repairs" | "truncatedAt" | "notes">;

const IN_UTF8 = "the source is not UTF-8: byte positions are those in its text as UTF-8";

/** Adds the length of the byte order mark to positions; for `undefined` (another encoding) they stay those in UTF-8 text, with a note. */
export function placesInSource(
  { rejections, repairs, truncatedAt, notes }: Places,
  markBytes: number | undefined,
): Places {
  if (markBytes === undefined) {
    const hasPlaces = rejections.length + repairs.length > 0 || truncatedAt !== undefined;
    return { rejections, repairs, truncatedAt, notes: hasPlaces ? [...notes, IN_UTF8] : notes };
  }
  const place = (each: Rejection): Rejection => ({ ...each, byte: each.byte + markBytes });
  return {
    rejections: rejections.map(place),
    repairs: repairs.map((repair) => ({ ...repair, places: repair.places.map(place) })),
    truncatedAt: truncatedAt && place(truncatedAt),
    notes,
  };
}
