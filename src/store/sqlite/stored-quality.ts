import { UserError } from "../../model/errors.ts";
import { parsedJson } from "../../model/json-text.ts";
import { type SourceQuality, type Unrecorded, UNRECORDED } from "../../model/source-quality.ts";

/** Decodes it. Throws `damaged-store` for other text. */
export function storedQuality(sourceId: string, text: string): SourceQuality {
  const quality = parsedJson(text);
  if (isQuality(quality)) return quality;
  throw new UserError("damaged-store", `the quality of source "${sourceId}" is damaged`);
}

/** Decodes what a live source has not recorded so far. Throws `damaged-store` for other text. */
export function storedUnrecorded(
  sourceId: string,
  text: string | null,
): readonly Unrecorded[] | undefined {
  if (text === null) return undefined;
  const unrecorded = parsedJson(text);
  if (areUnrecorded(unrecorded)) return unrecorded;
  throw new UserError("damaged-store", `the quality of source "${sourceId}" is damaged`);
}

function isQuality(value: unknown): value is SourceQuality {
  if (typeof value !== "object" || value === null) return false;
  const { unrecorded, ...rest } = value as Partial<SourceQuality>;
  const { untimedRequests, averagedRequests, windowSeconds, rejectedRows } = rest;
  const counts = [untimedRequests, averagedRequests, windowSeconds, rejectedRows];
  return Array.isArray(unrecorded) && [...counts, rest.truncatedAtByte ?? 0].every(isCount);
}

function areUnrecorded(value: unknown): value is readonly Unrecorded[] {
  return Array.isArray(value) && value.every((each) => UNRECORDED.includes(each));
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
