import { facetOptionsOf } from "../../import/decode-settings.ts";
import {
  flagParameter,
  type Parameter,
  type ParameterValues,
  textParameter,
} from "./parameters.ts";

/** Which tags of what is sent become facets. */
export const FACET_PARAMETERS: readonly Parameter[] = [
  {
    ...textParameter(
      "facet",
      "Names of tags, columns or attributes that are facets, too, at most 8, separated by commas, or several times.",
      "region",
    ),
    isList: true,
  },
  flagParameter("noFacets", "Whether to leave out the facets that the format has by itself."),
];

/** Throws `bad-parameter`. */
export function facetOptionsIn(values: ParameterValues): ReturnType<typeof facetOptionsOf> {
  return facetOptionsOf(values.get("facet")?.split(","), values.get("noFacets") === "true");
}
