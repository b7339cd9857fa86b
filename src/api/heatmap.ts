import { PAIR, WHOLE } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";

/** Of `GET /Api/LoadTests/{id}/Heatmap`. */
export const HEATMAP = object({
  resolution: { ...WHOLE, description: "Seconds of a column." },
  labels: list(WHOLE, "UNIX seconds at which the columns that have requests begin, ascending."),
  rows: list(
    { type: "number", minimum: 0 },
    "Seconds at which rows begin, ascending; the last one ends the row before it.",
  ),
  cells: list(
    list(PAIR),
    "For each column its cells: pairs of the index of the row and the requests.",
  ),
});

export type HeatmapJson = Static<typeof HEATMAP>;
