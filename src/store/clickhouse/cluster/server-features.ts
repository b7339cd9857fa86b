/** What one server can do. */
export interface ServerFeatures {
  /** Such as "18.16.1" or "26.7.2.1". */
  readonly version: string;
  /** Names of all settings that it knows; it refuses every other. */
  readonly knownSettings: ReadonlySet<string>;
}

/** Answers lines of a kind and a value, for `serverFactsIn`. */
export const SERVER_FEATURES_SQL =
  "SELECT 'version', version() UNION ALL SELECT 'setting', name FROM system.settings FORMAT TabSeparated";

export function serverFeaturesIn(lines: string): ServerFeatures {
  const rows = lines.split("\n").map((line) => line.split("\t"));
  const valuesOf = (kind: string): string[] =>
    rows.filter(([each]) => each === kind).map(([, value = ""]) => value);
  return { version: valuesOf("version")[0] ?? "", knownSettings: new Set(valuesOf("setting")) };
}

/** Whether columns can say how they are compressed (`CODEC`), T64 included. */
export function hasCodecs({ version }: ServerFeatures): boolean {
  const [year = 0, month = 0] = version.split(".").map(Number);
  return year > 19 || (year === 19 && month >= 17);
}
