import { UserError } from "../../model/errors.ts";
import { parsedJson } from "../../model/json-text.ts";
import { isRowQuality } from "../../model/quality/row-quality.ts";
import {
  isExtent,
  type SourceQuality,
  type Unrecorded,
  UNRECORDED,
} from "../../model/source-quality.ts";
import type { VisibleSource } from "../snapshot.ts";

/** Decodes it. Throws `damaged-store` for other text. */
export function storedQuality(sourceId: string, text: string): SourceQuality {
  const quality = parsedJson(text);
  if (isQuality(quality)) return quality;
  throw damaged(sourceId);
}

/** What the batches of a live source say of it. */
export type LiveQuality = Pick<VisibleSource, "unrecorded" | "quality">;

/** Decodes it. Throws `damaged-store` for other text. */
export function storedLiveQuality(sourceId: string, text: string): LiveQuality {
  const live = parsedJson(text);
  if (typeof live !== "object" || live === null) throw damaged(sourceId);
  const { unrecorded, quality } = live as LiveQuality;
  const isRight =
    (unrecorded === undefined || areUnrecorded(unrecorded)) &&
    (quality === undefined || isRowQuality(quality));
  if (isRight) return { unrecorded, quality };
  throw damaged(sourceId);
}

function damaged(sourceId: string): UserError {
  return new UserError("damaged-store", `the quality of source "${sourceId}" is damaged`);
}

function isQuality(value: unknown): value is SourceQuality {
  if (!isRowQuality(value)) return false;
  const { unrecorded, ...rest } = value as Partial<SourceQuality>;
  const { untimedRequests, averagedRequests, windowSeconds, truncatedAtByte = 0, extent } = rest;
  const counts = [untimedRequests, averagedRequests, windowSeconds, truncatedAtByte];
  const isRight = extent === undefined || isExtent(extent);
  return isRight && Array.isArray(unrecorded) && counts.every(isCount);
}

function areUnrecorded(value: unknown): value is readonly Unrecorded[] {
  return Array.isArray(value) && value.every((each) => UNRECORDED.includes(each));
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
