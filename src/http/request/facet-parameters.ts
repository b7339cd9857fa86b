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
  flagParameter("noFacets", "Whether to leave out the default facets of the format."),
];

/** The same as headers, for senders that cannot add to the address. */
export const FACET_HEADERS: readonly Parameter[] = FACET_PARAMETERS.map((parameter) => ({
  ...parameter,
  name: headerOf(parameter.name),
  in: "header",
}));

/** Throws `bad-parameter`. */
export function facetOptionsIn(values: ParameterValues): ReturnType<typeof facetOptionsOf> {
  const valueOf = (name: string) => values.get(name) ?? values.get(headerOf(name));
  return facetOptionsOf(valueOf("facet")?.split(","), valueOf("noFacets") === "true");
}

function headerOf(name: string): string {
  return `x-${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}
