/** Content codings of responses, in order of preference at equal weights. */
export const CODINGS = ["zstd", "br", "gzip", "identity"] as const;

export type Coding = (typeof CODINGS)[number];

/**
 * The client's preferred coding by its `Accept-Encoding` header (RFC 9110, 12.5.3). `undefined`: it
 * rejects all, `identity` included.
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
 * Whether an `Accept` header permits `mediaType`. A client that does not list it still gets it, as
 * RFC 9110 allows; only `q=0` rejects it.
 */
export function isAcceptable(accept: string | undefined, mediaType: string): boolean {
  if (accept === undefined) return true;
  const preferences = parsePreferences(accept);
  const range = `${mediaType.split("/")[0] ?? ""}/*`;
  const weight = preferences.get(mediaType) ?? preferences.get(range) ?? preferences.get("*/*");
  return weight !== 0;
}

/** Whether an `Accept` header asks for `mediaType` by name, and rather than for JSON. */
export function asksFor(mediaType: string, accept: string | undefined): boolean {
  const preferences = parsePreferences(accept ?? "");
  return (preferences.get(mediaType) ?? 0) > (preferences.get("application/json") ?? 0);
}

/** `identity` is acceptable at the lowest weight unless rejected by name or by `*`. */
const UNNAMED_IDENTITY_WEIGHT = 0.0001;

function weightOfCoding(coding: Coding, preferences: ReadonlyMap<string, number>): number {
  const named =
    preferences.get(coding) ?? (coding === "gzip" ? preferences.get("x-gzip") : undefined);
  if (named !== undefined) return named;
  const any = preferences.get("*");
  if (coding === "identity") return any === 0 ? 0 : UNNAMED_IDENTITY_WEIGHT;
  return any ?? 0;
}

/** Lower-case names with their weights, 0 to 1, without media type parameters. */
function parsePreferences(header: string): ReadonlyMap<string, number> {
  const preferences = new Map<string, number>();
  for (const part of header.split(",")) {
    const [name = "", ...parameters] = part.split(";").map((text) => text.trim().toLowerCase());
    if (name !== "") preferences.set(name, weightOf(parameters));
  }
  return preferences;
}

const WEIGHT = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** A malformed weight counts as 1, like a missing one. */
function weightOf(parameters: readonly string[]): number {
  const [digits] = parameters.flatMap((parameter) => WEIGHT.exec(parameter)?.[1] ?? []);
  return Number(digits ?? 1);
}
