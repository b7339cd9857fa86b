import { isObject, parsedJson } from "../../../model/json-text.ts";
import { type NodeAddress, badPlace, parseNodeAddress } from "./node-address.ts";

/** Keys besides `shards`. Numbers and booleans may be given as text. */
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

/** Validated cluster settings. They contain the password, so never print them. */
export interface ClusterSettings {
  /** Addresses without credentials: a list per shard, ordered by number. */
  readonly shards: readonly (readonly string[])[];
  readonly database: string;
  readonly user?: string;
  readonly password?: string;
  /** Whether the servers replicate the tables, by ZooKeeper or Keeper. */
  readonly isReplicated: boolean;
  /** Replicas that must have a write before it is acknowledged; "auto" for a majority. @default one */
  readonly quorum?: number | "auto";
  /** Whether this is ClickHouse Cloud, which replicates behind one address. @default false */
  readonly isCloud?: boolean;
  /** Path of the tables in ZooKeeper. @default "/tachograph" */
  readonly zooKeeperPath?: string;
  /** CA certificates of the servers, as PEM. @default those that Node trusts */
  readonly certificateAuthority?: string;
  /** Maximum silence of a server. @default 60,000 */
  readonly requestTimeoutMs?: number;
  /** How long a write is retried. @default 30,000 */
  readonly patienceMs?: number;
}

type ReadFile = (path: string) => string;
type Environment = Readonly<Record<string, string | undefined>>;

/** Settings accepted as NAME=VALUE. Not the password: every user of the machine could see it. */
const NAMES: Readonly<Record<string, keyof GivenSettings>> = {
  database: "database",
  user: "user",
  quorum: "quorum",
  cloud: "cloud",
  replicated: "replicated",
  "zookeeper-path": "zooKeeperPath",
  "ca-file": "caFile",
};

/**
 * The cluster that the values of `--clickhouse` tell of. Each of them is one of
 *
 *     URL            a replica of the only shard: http://host:8123, https://user:password@host:8443
 *     NUMBER=URL,…   replicas of the shard of this number; shards are numbered from 1
 *     NAME=VALUE     database, user, quorum (a number, or auto), cloud, replicated (true or false),
 *                    zookeeper-path, ca-file
 *     @FILE          all of it as JSON, alone: {"shards": [["URL", …], …]} and, where needed,
 *                    database, user, password, quorum, cloud, replicated, zooKeeperPath, caFile
 *
 * One address is one server that replicates nothing, unless `replicated=true` says that others will
 * come; several are replicated. User and password stand in the addresses, or in the file, or else in
 * TACHOGRAPH_CLICKHOUSE_USER and TACHOGRAPH_CLICKHOUSE_PASSWORD. Throws `bad-setting`, and what
 * `readFile` throws; no message shows a password.
 */
export function parseClickHouseLocation(
  values: readonly string[],
  environment: Environment,
  readFile: ReadFile,
): ClusterSettings {
  const given = givenBy(values, readFile);
  const shards = given.shards.map((urls) => urls.map((url) => parseNodeAddress(url)));
  const nodes = checkedNodes(shards);
  const settings: ClusterSettings = {
    shards: shards.map((replicas) => replicas.map(({ url }) => url)),
    database: matching("database", given.database ?? "tachograph", /^[A-Za-z_]\w{0,63}$/),
    isReplicated: flag("replicated", given.replicated) ?? nodes.length > 1,
    isCloud: flag("cloud", given.cloud) ?? false,
    ...credentials(nodes, given, environment),
    ...quorumOf(given),
    ...zooKeeperPathOf(given),
    ...(given.caFile === undefined ? {} : { certificateAuthority: readFile(given.caFile) }),
  };
  checkTogether(settings);
  return settings;
}

function givenBy(values: readonly string[], readFile: ReadFile): GivenSettings {
  const file = values.find((value) => value.startsWith("@"));
  if (file === undefined) return givenOneByOne(values);
  if (values.length === 1) return readSettingsFile(file.slice(1), readFile);
  throw badPlace(file, "no other value beside a file", `${values.length} values`);
}

function givenOneByOne(values: readonly string[]): GivenSettings {
  const addresses: string[] = [];
  const numbered = new Map<number, string[]>();
  const named: Record<string, string> = {};
  for (const value of values) {
    const [, name = "", text = ""] = /^([\w-]+)=(.*)$/s.exec(value) ?? [];
    if (name === "") addresses.push(value);
    else if (/^\d{1,4}$/.test(name)) {
      numbered.set(Number(name), [...(numbered.get(Number(name)) ?? []), ...text.split(",")]);
    } else take(named, name, text);
  }
  if (addresses.length > 0 && numbered.size > 0) {
    throw badPlace("shards", "a number before every address, or before none", "both");
  }
  return { shards: numbered.size > 0 ? inOrder(numbered) : [addresses], ...named };
}

function take(named: Record<string, string>, name: string, text: string): void {
  const member = Object.hasOwn(NAMES, name) ? NAMES[name] : undefined;
  if (member === undefined) {
    const want = `the number of a shard, or one of ${Object.keys(NAMES).join(", ")}`;
    throw badPlace("a value with =", want, JSON.stringify(name));
  }
  if (member in named) throw badPlace(name, "it once", "it again");
  named[member] = text;
}

function inOrder(numbered: ReadonlyMap<number, readonly string[]>): (readonly string[])[] {
  return Array.from(numbered, (_, index) => {
    const replicas = numbered.get(index + 1);
    if (replicas !== undefined) return replicas;
    const got = [...numbered.keys()].toSorted((a, b) => a - b).join(", ");
    throw badPlace("shards", `the numbers 1 to ${numbered.size}`, got);
  });
}

/** All nodes; at least one per shard, without duplicates. */
function checkedNodes(shards: readonly (readonly NodeAddress[])[]): readonly NodeAddress[] {
  const nodes = shards.flat();
  if (nodes.length === 0 || shards.some((replicas) => replicas.length === 0)) {
    throw badPlace("shards", "an address in each", "none");
  }
  const seen = new Set<string>();
  for (const { url } of nodes) {
    if (seen.has(url)) throw badPlace("addresses", "each once", `${url} again`);
    seen.add(url);
  }
  return nodes;
}

type Credentials = Pick<ClusterSettings, "user" | "password">;

function credentials(
  nodes: readonly NodeAddress[],
  given: GivenSettings,
  environment: Environment,
): Credentials {
  const user = sameOf("user", nodes) ?? given.user ?? environment["TACHOGRAPH_CLICKHOUSE_USER"];
  const password =
    sameOf("password", nodes) ?? given.password ?? environment["TACHOGRAPH_CLICKHOUSE_PASSWORD"];
  if (password !== undefined) return { user: user ?? "default", password };
  return user === undefined ? {} : { user };
}

/** All addresses with credentials must name the same user. */
function sameOf(name: "user" | "password", nodes: readonly NodeAddress[]): string | undefined {
  const values = new Set(nodes.map((node) => node[name]).filter((value) => value !== undefined));
  if (values.size > 1) throw badPlace("addresses", `the same ${name} in all`, "several");
  return [...values][0];
}

function quorumOf({ quorum }: GivenSettings): Pick<ClusterSettings, "quorum"> {
  if (quorum === undefined) return {};
  if (quorum === "auto") return { quorum };
  if (!/^[1-9]\d{0,2}$/.test(quorum)) {
    throw badPlace("quorum", "a number of replicas, or auto", JSON.stringify(quorum));
  }
  return { quorum: Number(quorum) };
}

function zooKeeperPathOf({ zooKeeperPath }: GivenSettings): Pick<ClusterSettings, "zooKeeperPath"> {
  if (zooKeeperPath === undefined) return {};
  return { zooKeeperPath: matching("zookeeper-path", zooKeeperPath, /^(\/[A-Za-z0-9_.-]+)+$/) };
}

function flag(name: string, text: string | undefined): boolean | undefined {
  if (text === undefined) return undefined;
  if (text !== "true" && text !== "false") {
    throw badPlace(name, "true or false", JSON.stringify(text));
  }
  return text === "true";
}

function matching(name: string, text: string, pattern: RegExp): string {
  if (pattern.test(text)) return text;
  throw badPlace(name, `what matches ${pattern}`, JSON.stringify(text.slice(0, 200)));
}

function checkTogether({ shards, isReplicated, isCloud, quorum }: ClusterSettings): void {
  const count = shards.flat().length;
  if (isCloud === true && count > 1) throw badPlace("cloud", "one address", `${count}`);
  if (isCloud === true && isReplicated) {
    throw badPlace("cloud", "replicated=false, since the cloud replicates itself", "true");
  }
  if (!isReplicated && count > 1) {
    throw badPlace("replicated", `true, for ${count} addresses`, "false");
  }
  if (quorum === undefined) return;
  if (!isReplicated) throw badPlace("quorum", "none where nothing is replicated", `${quorum}`);
  const fewest = Math.min(...shards.map((replicas) => replicas.length));
  if (quorum !== "auto" && quorum > fewest) {
    throw badPlace("quorum", `at most the ${fewest} replicas of a shard`, `${quorum}`);
  }
}

interface GivenSettings {
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

/** Reads the JSON file at `path`. Throws `bad-setting`. */
function readSettingsFile(path: string, readFile: (path: string) => string): GivenSettings {
  const value = parsed(path, readFile(path));
  const { shards, ...others } = value as { shards?: unknown };
  if (!isShards(shards)) {
    throw badPlace(path, 'a list of lists of addresses as "shards"', typeof shards);
  }
  return { shards, ...(texts(path, others) as Omit<GivenSettings, "shards">) };
}

function parsed(path: string, text: string): object {
  const value = parsedJson(text);
  // The parser's message would quote the text, which may contain a password.
  if (value === undefined) throw badPlace(path, "JSON", "something else");
  if (isObject(value)) return value;
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
