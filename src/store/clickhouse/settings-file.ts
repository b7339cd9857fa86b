import { badPlace } from "./bad-place.ts";

/** What the values of `--clickhouse` or a file say, before it is checked as a whole. */
export interface GivenSettings {
  /** Addresses as they were written. */
  readonly shards: readonly (readonly string[])[];
  readonly database?: string;
  readonly user?: string;
  readonly password?: string;
  readonly quorum?: string;
  readonly cloud?: string;
  readonly replicated?: string;
  readonly zooKeeperPath?: string;
  readonly caFile?: string;
}

/** Members besides `shards`. Numbers, true and false count as what they look like. */
const MEMBERS: ReadonlySet<string> = new Set([
  "database",
  "user",
  "password",
  "quorum",
  "cloud",
  "replicated",
  "zooKeeperPath",
  "caFile",
] satisfies (keyof GivenSettings)[]);

/** What the JSON in the file at `path` says. Throws `bad-setting`. */
export function readSettingsFile(path: string, readFile: (path: string) => string): GivenSettings {
  const value = parsed(path, readFile(path));
  const { shards, ...others } = value as { shards?: unknown };
  if (!isShards(shards)) {
    throw badPlace(path, 'a list of lists of addresses as "shards"', typeof shards);
  }
  return { shards, ...(texts(path, others) as Omit<GivenSettings, "shards">) };
}

function parsed(path: string, text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // What the parser says quotes the text, and a password may stand there.
    throw badPlace(path, "JSON", "something else");
  }
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value;
  throw badPlace(path, "an object", Array.isArray(value) ? "a list" : typeof value);
}

function isShards(value: unknown): value is string[][] {
  return (
    Array.isArray(value) &&
    value.every((shard) => Array.isArray(shard) && shard.every((url) => typeof url === "string"))
  );
}

function texts(path: string, members: object): Record<string, string> {
  const entries = Object.entries(members).map(([name, value]: [string, unknown]) => {
    if (!MEMBERS.has(name)) {
      throw badPlace(path, `members shards, ${[...MEMBERS].join(", ")}`, JSON.stringify(name));
    }
    if (typeof value === "string") return [name, value];
    if (typeof value === "number" || typeof value === "boolean") return [name, `${value}`];
    throw badPlace(`${path}: ${name}`, "a text", value === null ? "null" : typeof value);
  });
  return Object.fromEntries(entries) as Record<string, string>;
}
