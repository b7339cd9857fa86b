import { QUALITY } from "./parts.ts";
import { list, object, type Static } from "./schema.ts";
import { FIGURES, OPTIONAL_FIGURES } from "./summary.ts";

/** Of `GET /Api/LoadTests/{id}/Distribution`. */
export const DISTRIBUTION = object({
  overall: object(FIGURES, OPTIONAL_FIGURES, {
    title: "Figures",
    description: "Figures of all that is selected as one, as in the summary.",
  }),
  quality: QUALITY,
  times: list({ type: "number", minimum: 0 }, "Response times that were seen, seconds, ascending."),
  counts: list(
    { type: "integer", minimum: 1 },
    "Requests that took each of `times`; averaged requests and those without a time are not among them.",
  ),
});

export type DistributionJson = Static<typeof DISTRIBUTION>;
