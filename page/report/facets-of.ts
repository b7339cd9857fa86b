import type { WrittenAbout } from "../../src/analysis/report/write-report.ts";
import { conditionsText } from "../../src/series/merge-all-series.ts";
import { facetsText } from "../src/facets/facet-filter.ts";

/** The facets that a report was made with, in words; empty without. */
export function facetsOf({ selection: { facets } }: WrittenAbout): string {
  if (facets === undefined) return "";
  const { where, by } = facets;
  return facetsText({
    where: conditionsText(where),
    by: by.length === 0 ? undefined : by.join(" and "),
  });
}
