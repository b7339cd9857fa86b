import { checkTimeZone, groupingOf, parseInstant } from "../operations/decode-settings.ts";
import type { ImportRequest } from "../operations/import-results.ts";

/** How the files of an import are to be read, as flags give it. */
export interface DecodeFlags {
  readonly timezone?: string;
  readonly startedAt?: string;
  readonly label?: string;
  readonly labelsMax?: number;
  readonly groupUrls?: true;
  readonly group?: readonly string[];
}

/** Checks the flags; `localZone` is the zone of this process. Throws `bad-parameter`. */
export function decodeOptionsOf(
  { timezone, startedAt, label, labelsMax, groupUrls, group }: DecodeFlags,
  localZone: string,
): ImportRequest["decodeOptions"] {
  return {
    timeZone: checkTimeZone(timezone ?? localZone),
    startedAtMs: startedAt === undefined ? undefined : parseInstant(startedAt),
    labelTemplate: label,
    labels: { labelsMax, grouping: groupingOf(groupUrls === true, group) },
  };
}
