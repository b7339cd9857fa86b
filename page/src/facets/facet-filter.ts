/** The facets that the URL chooses: `where` and `by` as the API takes them (docs/api.md). */

export interface FacetFilter {
  /** `name:value,…`; `undefined`: all requests. */
  readonly where?: string | undefined;
  /** Facet by whose values endpoints are split. */
  readonly by?: string | undefined;
  /** Whether endpoints are listed below the values of `by`. @default false */
  readonly tree?: true | undefined;
}

/** In a value, a backslash goes before a comma or a backslash. */
const CONDITION = String.raw`([^:,!]+!?):((?:\\.|[^,\\])*)`;
const WHERE = new RegExp(`^${CONDITION}(?:,${CONDITION})*$`, "su");
const EACH = new RegExp(`${CONDITION}(?:,|$)`, "gsu");

/** Leaves out what the API would refuse. */
export function facetsIn(parameters: ReadonlyMap<string, string>): FacetFilter {
  const where = parameters.get("where") ?? "";
  const by = parameters.get("by") ?? "";
  const isSplit = by !== "" && !by.includes(",");
  return {
    where: WHERE.test(where) ? where : undefined,
    by: isSplit ? by : undefined,
    tree: (isSplit && parameters.get("tree") === "true") || undefined,
  };
}

/** `name!` stands for all other values. */
type Pair = readonly [name: string, value: string];

/** In the order of the URL. */
export function pairsOf(where = ""): readonly Pair[] {
  return Array.from(where.matchAll(EACH), ([, name = "", value = ""]) => {
    return [name, value.replaceAll(/\\([,\\])/g, "$1")];
  });
}

export function whereOf(pairs: readonly Pair[]): string | undefined {
  if (pairs.length === 0) return undefined;
  return pairs
    .map(([name, value]) => `${name}:${value.replaceAll(/[,\\]/g, String.raw`\$&`)}`)
    .join(",");
}

/** The values of a facet that are shown; empty: all. */
export function valuesOf(where: string | undefined, name: string): readonly string[] {
  return pairsOf(where).flatMap(([each, value]) => (each === name ? [value] : []));
}

/** The same with other values of one facet. */
export function withValues(
  where: string | undefined,
  name: string,
  values: readonly string[],
): string | undefined {
  const others = pairsOf(where).filter(([each]) => each !== name);
  return whereOf([...others, ...values.map((value): Pair => [name, value])]);
}

/** In words: `region eu or us, host other than a, by scenario`; empty without facets. */
export function facetsText({ where, by }: FacetFilter): string {
  const values = Map.groupBy(pairsOf(where), ([name]) => name);
  const parts = [...values].map(
    ([name, pairs]) =>
      `${name.replace("!", " other than")} ${pairs.map(([, value]) => value || "(none)").join(" or ")}`,
  );
  return [...parts, ...(by === undefined ? [] : [`by ${by}`])].join(", ");
}

/** A label within a sentence: requests without the facet that splits have that of their label alone. */
export function spokenLabel(label: string): string {
  return label.replace(/^\(none\) › /, "");
}
