import type { FormatAbout } from "../format-about.ts";

/** Runs that `tachograph export` wrote: they record what their sources did. */
export const TACHOGRAPH_PARQUET = {
  name: "tachograph-parquet",
  tool: "Tachograph",
} as const satisfies FormatAbout;
