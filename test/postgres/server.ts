/** A real PostgreSQL server of its own for a test file: below the temporary directory, on a Unix socket, gone in the end. */

import { execFileSync, spawn, type ChildProcess } from "node:child_process";
import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { Client } from "pg";

const DEBIAN = "/usr/lib/postgresql";
const START_PATIENCE_MS = 60_000;

/** The newest one that is installed; `undefined` if there is none. */
export function programsOf(): string | undefined {
  const named = process.env["TACHOGRAPH_POSTGRES_BIN"];
  if (named !== undefined) return named;
  if (!existsSync(DEBIAN)) return undefined;
  const versions = readdirSync(DEBIAN)
    .map(Number)
    .toSorted((left, right) => right - left);
  return versions[0] === undefined ? undefined : path.join(DEBIAN, String(versions[0]), "bin");
}

export interface PostgresServer {
  readonly pid: number;
  /** Creates an empty database and returns its URL. */
  create(): Promise<string>;
  /** Copies a database that nobody uses, as a standby that falls behind from then on. Returns the URL. */
  copy(of: string): Promise<string>;
  /** Puts another database in the place of one, and ends its connections. */
  replace(url: string, by: string): Promise<void>;
  start(): Promise<void>;
  /** Kills the server with all its connections, and waits for its end. */
  kill(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Starts it. Root may not run PostgreSQL, so it runs as `postgres` there. `isDurable`: it syncs what it commits, for measures.
 */
export async function startServer({ isDurable = false } = {}): Promise<PostgresServer> {
  const bin = programsOf();
  if (bin === undefined) throw new Error("no PostgreSQL here: test/postgres/install-programs.sh");
  const directory = mkdtempSync(path.join(tmpdir(), "tachograph-postgres-"));
  const data = path.join(directory, "data");
  mkdirSync(data, { mode: 0o700 });
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? idsOf("postgres") : undefined;
  if (user !== undefined) for (const each of [directory, data]) chownSync(each, user.uid, user.gid);
  const run = { ...user, env: { PATH: process.env["PATH"] ?? "" } };
  execFileSync(
    path.join(bin, "initdb"),
    ["-D", data, "-U", "tachograph", "-A", "trust", "--no-sync", "-E", "UTF8"],
    { ...run, stdio: "ignore" },
  );
  const url = (name: string): string =>
    `postgres://tachograph@${encodeURIComponent(directory)}/${name}`;
  let server: ChildProcess | undefined;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    const running = server;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = new Promise((resolve) => running.once("exit", resolve));
    running.kill(signal);
    await ended;
  };
  const start = async (): Promise<void> => {
    const settings = ["listen_addresses=", `unix_socket_directories=${directory}`];
    // Only the process is killed, never the machine: what it wrote is there without a sync.
    const quick = isDurable ? [] : ["autovacuum=off", "fsync=off", "full_page_writes=off"];
    const flags = [...settings, "max_connections=60", ...quick].flatMap((each) => ["-c", each]);
    const spawnServer = (): ChildProcess =>
      spawn(path.join(bin, "postgres"), ["-D", data, ...flags], { ...run, stdio: "ignore" });
    server = spawnServer();
    const giveUpAtMs = performance.now() + START_PATIENCE_MS;
    for (;;) {
      // It refuses to start while children of a killed one still end.
      if (server.exitCode !== null) server = spawnServer();
      if (performance.now() > giveUpAtMs) throw new Error("PostgreSQL does not start");
      const client = new Client({ connectionString: url("postgres") });
      client.on("error", () => undefined);
      try {
        await client.connect();
        await client.end();
        return;
      } catch {
        await delay(50);
      }
    }
  };
  await start();
  let created = 0;
  const change = async (...statements: readonly string[]): Promise<void> => {
    const client = new Client({ connectionString: url("postgres") });
    await client.connect();
    for (const sql of statements) await client.query(sql);
    await client.end();
  };
  const add = async (suffix = ""): Promise<string> => {
    created += 1;
    const name = `store${created}`;
    await change(`CREATE DATABASE ${name} ${suffix}`);
    return url(name);
  };
  return {
    get pid() {
      return server?.pid ?? 0;
    },
    create: () => add(),
    copy: (of) => add(`TEMPLATE ${path.basename(of)}`),
    async replace(replaced, by) {
      const name = path.basename(replaced);
      await change(
        `ALTER DATABASE ${name} ALLOW_CONNECTIONS false`,
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`,
        `SELECT pg_sleep(0.2)`,
        `ALTER DATABASE ${name} RENAME TO lost_${name}`,
        `ALTER DATABASE ${path.basename(by)} RENAME TO ${name}`,
      );
    },
    start,
    // Its children notice, and end by themselves.
    kill: () => end("SIGKILL"),
    async stop() {
      await end("SIGQUIT");
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function idsOf(name: string): { readonly uid: number; readonly gid: number } {
  const id = (flag: string): number =>
    Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}
