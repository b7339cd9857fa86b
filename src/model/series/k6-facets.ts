/** Tags that are facets by themselves. */
export const K6_FACETS: readonly string[] = ["group", "scenario"];

/** The value of a tag as a facet: k6 calls the scenario of a script without one "default". */
export function k6FacetOf(name: string, value: string): string {
  return name === "scenario" && value === "default" ? "" : value;
}
