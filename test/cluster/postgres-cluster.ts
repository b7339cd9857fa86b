/** Three machines with etcd, Patroni and PostgreSQL, which replicates synchronously to one of two standbys. */

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client } from "pg";
import { programsOf } from "../postgres/server.ts";
import { makeMachine, until, type Machine } from "./machines.ts";

const STARTING_PATIENCE_MS = 120_000;
const USER = "postgres";
/** Patroni as `install-programs.sh` installs it. */
const OWN_PATRONI = "/opt/tachograph-patroni/bin/patroni";
const [CLIENT_PORT, PEER_PORT, REST_PORT, DATABASE_PORT] = [2379, 2380, 8008, 5432];

/** Of Patroni, in seconds: docs/scaling.md says what they do. */
const TIMES = { ttl: 20, loop_wait: 3, retry_timeout: 5 };
const PARAMETERS = {
  max_connections: 100,
  shared_buffers: "64MB",
  wal_keep_size: "256MB",
  wal_sender_timeout: "10s",
  wal_receiver_timeout: "10s",
};

/** "node": the machine stays, and its PostgreSQL is not started again. */
type Part = "postgres" | "node";

export interface PostgresCluster {
  readonly nodes: readonly Machine[];
  /** Names all nodes. */
  readonly url: string;
  roles(): Promise<Roles>;
  /** Waits until one primary replicates to two standbys, to one of them synchronously. */
  whole(patienceMs: number): Promise<Roles>;
  /** What each server says of its sessions and standbys, for a log. */
  describe(): Promise<string>;
  kill(node: Machine, part: Part): void;
  /** Starts Patroni again, which starts PostgreSQL. */
  revive(node: Machine): void;
}

export interface Roles {
  readonly primary: Machine;
  /** The synchronous one first. */
  readonly standbys: readonly Machine[];
}

/** `undefined`: there is none here. */
export function patroniOf(): string | undefined {
  return process.env["TACHOGRAPH_PATRONI"] ?? (existsSync(OWN_PATRONI) ? OWN_PATRONI : undefined);
}

export async function startCluster(directory: string): Promise<PostgresCluster> {
  const nodes = [1, 2, 3].map((number) => makeMachine(`node${number}`, number));
  const etcdHosts = nodes.map(({ address }) => `${address}:${CLIENT_PORT}`);
  const initial = nodes.map(({ name, address }) => `${name}=http://${address}:${PEER_PORT}`);
  execFileSync("chown", [USER, directory]);
  const homeOf = ({ name }: Machine): string => path.join(directory, name);
  const startEtcd = (node: Machine): void => {
    const { name, address } = node;
    const flags: Readonly<Record<string, string>> = {
      name,
      "data-dir": path.join(homeOf(node), "etcd"),
      "listen-client-urls": `http://${address}:${CLIENT_PORT}`,
      "advertise-client-urls": `http://${address}:${CLIENT_PORT}`,
      "listen-peer-urls": `http://${address}:${PEER_PORT}`,
      "initial-advertise-peer-urls": `http://${address}:${PEER_PORT}`,
      "initial-cluster": initial.join(","),
    };
    const words = Object.entries(flags).map(([flag, value]) => `--${flag}=${value}`);
    const log = path.join(homeOf(node), "etcd.log");
    node.start(["etcd", ...words], { user: USER, log });
  };
  const revive = (node: Machine): void => {
    const log = path.join(homeOf(node), "patroni.log");
    node.start([patroniOf() ?? "", path.join(homeOf(node), "patroni.json")], { user: USER, log });
  };
  for (const node of nodes) {
    mkdirSync(homeOf(node));
    execFileSync("chown", [USER, homeOf(node)]);
    const settings = patroniSettings(node, homeOf(node), etcdHosts);
    writeFileSync(path.join(homeOf(node), "patroni.json"), JSON.stringify(settings, null, 2));
    startEtcd(node);
    revive(node);
  }
  const roles = async (): Promise<Roles> => {
    for (const primary of nodes) {
      const found = await standbysOf(primary, nodes);
      if (found !== undefined) return { primary, standbys: found };
    }
    throw new Error("no primary answers");
  };
  const cluster: PostgresCluster = {
    nodes,
    url: `postgres://tachograph@${nodes.map(({ address }) => address).join(",")}/tachograph?target_session_attrs=read-write`,
    roles,
    whole: (patienceMs) =>
      until("a primary with two standbys", patienceMs, async () => {
        const found = await roles().catch(() => undefined);
        return found?.standbys.length === nodes.length - 1 ? found : undefined;
      }),
    describe: async () => (await Promise.all(nodes.map((node) => stateOf(node)))).join("\n"),
    kill(node, part) {
      if (part === "node") node.signal("KILL", "patroni");
      node.signal("KILL", "postgres");
    },
    revive,
  };
  const { primary } = await cluster.whole(STARTING_PATIENCE_MS);
  await ask(primary, "CREATE ROLE tachograph LOGIN");
  await ask(primary, "CREATE DATABASE tachograph OWNER tachograph");
  return cluster;
}

/** As JSON, which is YAML, too. */
function patroniSettings({ name, address }: Machine, home: string, etcdHosts: readonly string[]) {
  const everyone = "host all all 10.77.0.0/24 trust";
  return {
    scope: "tachograph",
    name,
    restapi: { listen: `${address}:${REST_PORT}`, connect_address: `${address}:${REST_PORT}` },
    etcd3: { hosts: etcdHosts },
    bootstrap: {
      dcs: {
        ...TIMES,
        synchronous_mode: true,
        synchronous_mode_strict: true,
        postgresql: { use_pg_rewind: true, use_slots: true, parameters: PARAMETERS },
      },
      initdb: [{ encoding: "UTF8" }, { auth: "trust" }, "data-checksums"],
    },
    postgresql: {
      listen: `${address}:${DATABASE_PORT}`,
      connect_address: `${address}:${DATABASE_PORT}`,
      data_dir: path.join(home, "data"),
      bin_dir: programsOf(),
      pgpass: path.join(home, "pgpass"),
      authentication: {
        superuser: { username: USER },
        replication: { username: "replicator" },
      },
      parameters: { unix_socket_directories: home },
      pg_hba: ["local all all trust", everyone, everyone.replace("all", "replication")],
      // A standby that cannot be rewound is copied again.
      remove_data_directory_on_rewind_failure: true,
      remove_data_directory_on_diverged_timelines: true,
    },
    watchdog: { mode: "off" },
  };
}

/** `undefined`: this is no primary, or does not answer. */
async function standbysOf(
  primary: Machine,
  nodes: readonly Machine[],
): Promise<readonly Machine[] | undefined> {
  const rows = await ask(
    primary,
    `SELECT application_name AS name, sync_state AS state, pg_is_in_recovery() AS standby FROM
       (SELECT 1) AS one LEFT JOIN pg_stat_replication ON state = 'streaming' ORDER BY sync_state = 'sync' DESC`,
  ).catch(() => []);
  if (rows.length === 0 || rows.some(({ standby }) => standby === true)) return undefined;
  const streaming = rows.flatMap(({ name }) => nodes.filter((each) => each.name === name));
  return rows[0]?.["state"] === "sync" ? streaming : [];
}

const STATES = [
  "SELECT pg_is_in_recovery(), current_setting('synchronous_standby_names'), CASE WHEN NOT pg_is_in_recovery() THEN pg_current_wal_flush_lsn() END",
  "SELECT application_name, client_addr, state, sync_state, flush_lsn FROM pg_stat_replication",
  `SELECT pid, application_name, client_addr, state, wait_event, pg_blocking_pids(pid), now() - state_change AS since, left(query, 60)
   FROM pg_stat_activity WHERE backend_type = 'client backend'`,
];

async function stateOf(node: Machine): Promise<string> {
  const lines: string[] = [];
  for (const sql of STATES) {
    const rows = await ask(node, sql).catch((error: unknown) => [String(error)]);
    lines.push(...rows.map((row) => `${node.name}: ${JSON.stringify(row)}`));
  }
  return lines.join("\n");
}

async function ask(
  { address }: Machine,
  sql: string,
): Promise<readonly Readonly<Record<string, unknown>>[]> {
  const client = new Client({
    host: address,
    user: USER,
    database: "postgres",
    connectionTimeoutMillis: 1000,
    query_timeout: 5000,
  });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return (await client.query<Readonly<Record<string, unknown>>>(sql)).rows;
  } finally {
    client.end().catch(() => undefined);
  }
}
