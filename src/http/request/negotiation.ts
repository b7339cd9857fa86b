/** Content codings that answers can have; `identity` is none. The order settles equal wants. */
export const CODINGS = ["zstd", "br", "gzip", "identity"] as const;

export type Coding = (typeof CODINGS)[number];

/**
 * The coding for an `Accept-Encoding` header (RFC 9110, 12.5.3): what the client likes best among
 * those that are known. `undefined`: it refuses all of them, plain bytes included.
 */
export function chooseCoding(
  acceptEncoding: string | undefined,
  known: readonly Coding[] = CODINGS,
): Coding | undefined {
  if (acceptEncoding === undefined || acceptEncoding.trim() === "") return "identity";
  const preferences = parsePreferences(acceptEncoding);
  let best: Coding | undefined;
  let bestWeight = 0;
  for (const coding of known) {
    const weight = weightOfCoding(coding, preferences);
    if (weight > bestWeight) {
      best = coding;
      bestWeight = weight;
    }
  }
  return best;
}

/**
 * Whether an `Accept` header lets us answer with `mediaType`. A client that merely does not list it
 * gets it all the same, as RFC 9110 allows; only one that refuses it with `q=0` does not.
 */
export function isAcceptable(accept: string | undefined, mediaType: string): boolean {
  if (accept === undefined) return true;
  const preferences = parsePreferences(accept);
  const range = `${mediaType.split("/")[0] ?? ""}/*`;
  const weight = preferences.get(mediaType) ?? preferences.get(range) ?? preferences.get("*/*");
  return weight !== 0;
}

/** Identity is always there, at the lowest weight, unless it is refused by name or by `*`. */
const UNNAMED_IDENTITY_WEIGHT = 0.0001;

function weightOfCoding(coding: Coding, preferences: ReadonlyMap<string, number>): number {
  const named =
    preferences.get(coding) ?? (coding === "gzip" ? preferences.get("x-gzip") : undefined);
  if (named !== undefined) return named;
  const any = preferences.get("*");
  if (coding === "identity") return any === 0 ? 0 : UNNAMED_IDENTITY_WEIGHT;
  return any ?? 0;
}

/** Names in lower case with their weights, 0 to 1; media type parameters are left out. */
function parsePreferences(header: string): ReadonlyMap<string, number> {
  const preferences = new Map<string, number>();
  for (const part of header.split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    if (name !== "") preferences.set(name, weightOf(parameters));
  }
  return preferences;
}

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** A weight that cannot be read counts as 1, as if it were not there. */
function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const digits = WEIGHT.exec(parameter)?.[1];
    if (digits !== undefined) return Number(digits);
  }
  return 1;
}
