import type { SourceQuality } from "../model/source-quality.ts";
import { FORMATS_ABOUT } from "./formats-about.ts";

export interface FormatQuality extends Pick<SourceQuality, "unrecorded"> {
  /** Whether requests are recorded as averages of windows only. */
  readonly isAveraged?: true;
}

/** Of a source of lines that could not be read, sent without any request. */
export const REJECTED_LINES = "line-rejected";

/** Format of measures that are pulled from a Prometheus: later ones of the same name replace them. */
export const PULLED_MEASURES = "prometheus";

/** Of a source of lines that are measures alone. */
export const LINE_MEASURES = "line-measures";

/** Of a source whose own quality is not stored. */
export function formatQuality(name: string | undefined): FormatQuality {
  const about = FORMATS_ABOUT.find((each) => each.name === name);
  const unrecorded = about?.unrecorded ?? [];
  return about?.isAveraged === true ? { unrecorded, isAveraged: true } : { unrecorded };
}
