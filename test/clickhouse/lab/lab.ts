import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { freePorts } from "./free-ports.ts";
import type { Lifetime, Program } from "./program.ts";
import { Server } from "./server.ts";
import type { ServerPorts } from "./server-settings.ts";
import { ZooKeeper } from "./zookeeper.ts";

/** Number of servers. Several replicas need ZooKeeper; a single one may have it. */
export interface Layout {
  readonly shards: number;
  readonly replicas: number;
  /** @default whether there are several replicas */
  readonly hasZooKeeper?: boolean;
}

/** The content of `lab.json`, for other processes. */
interface Plan {
  readonly shards: readonly (readonly ServerPorts[])[];
  readonly zooKeeperPort?: number;
}

export interface LabOptions {
  /** @default a new temporary folder */
  readonly folder?: string;
  /** @default bound */
  readonly lifetime?: Lifetime;
}

/**
 * Real servers of Debian's ClickHouse 18.16 on loopback, as plain processes in a folder of their own.
 */
export class Lab {
  readonly folder: string;
  /** By shard, then by replica; named s1r1, s1r2, s2r1... */
  readonly shards: readonly (readonly Server[])[];
  readonly zooKeeper: ZooKeeper | undefined;
  readonly #lifetime: Lifetime;
  /** If the process ends without having stopped it. */
  readonly #onExit = (): void => {
    for (const program of this.programs) program.send("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true, maxRetries: 3 });
  };

  private constructor(folder: string, plan: Plan, lifetime: Lifetime) {
    const { zooKeeperPort } = plan;
    this.folder = folder;
    this.#lifetime = lifetime;
    this.shards = plan.shards.map((replicas, shard) =>
      replicas.map((ports, replica) => {
        const name = `s${shard + 1}r${replica + 1}`;
        return new Server({ name, folder: path.join(folder, name), ports, zooKeeperPort });
      }),
    );
    if (zooKeeperPort !== undefined) {
      this.zooKeeper = new ZooKeeper(path.join(folder, "zookeeper"), zooKeeperPort);
    }
  }

  /**
   * Starts everything; resolves when each server responds. If one fails, the others are stopped.
   */
  static async start(layout: Layout, options: LabOptions = {}): Promise<Lab> {
    const folder = options.folder ?? mkdtempSync(path.join(tmpdir(), "tachograph-lab-"));
    mkdirSync(folder, { recursive: true });
    const plan = await planFor(layout);
    const lab = new Lab(folder, plan, options.lifetime ?? "bound");
    writeFileSync(path.join(folder, "lab.json"), JSON.stringify(plan));
    if (lab.#lifetime === "bound") process.once("exit", lab.#onExit);
    try {
      await lab.zooKeeper?.start(lab.#lifetime);
      await Promise.all(lab.servers.map((server) => server.start(lab.#lifetime)));
      return lab;
    } catch (error) {
      await lab.stop("keep logs");
      throw error;
    }
  }

  /** The lab that another process has started in this folder; `undefined` if there is none. */
  static at(folder: string, lifetime: Lifetime): Lab | undefined {
    const file = path.join(folder, "lab.json");
    if (!existsSync(file)) return undefined;
    return new Lab(folder, JSON.parse(readFileSync(file, "utf8")) as Plan, lifetime);
  }

  get servers(): readonly Server[] {
    return this.shards.flat();
  }

  get programs(): readonly Program[] {
    const servers = this.servers.map(({ program }) => program);
    return this.zooKeeper === undefined ? servers : [...servers, this.zooKeeper.program];
  }

  server(name: string): Server {
    const found = this.servers.find((server) => server.name === name);
    if (found === undefined) throw new Error(`no server ${name}; there are: ${this.#names()}`);
    return found;
  }

  /** Kills a server, or `zookeeper`, with SIGKILL. */
  async kill(name: string): Promise<void> {
    const program = this.programs.find((each) => each.name === name);
    if (program === undefined) throw new Error(`no program ${name}; there are: ${this.#names()}`);
    await program.end();
  }

  /** Restarts a server, or `zookeeper`, that has ended, with its data. */
  async startAgain(name: string): Promise<{ readonly isRestored: boolean }> {
    if (name !== "zookeeper" || this.zooKeeper === undefined) {
      return this.server(name).start(this.#lifetime);
    }
    await this.zooKeeper.start(this.#lifetime);
    return { isRestored: false };
  }

  /** Waits until no running replica has anything to fetch; throws after a minute. */
  async untilCaughtUp(): Promise<void> {
    const lateAtMs = performance.now() + 60_000;
    let behind = await this.#behind();
    while (behind.length > 0) {
      if (performance.now() > lateAtMs) throw new Error(`still behind: ${behind.join("; ")}`);
      await setTimeout(50);
      behind = await this.#behind();
    }
  }

  async #behind(): Promise<string[]> {
    const question =
      "SELECT max(absolute_delay), max(is_readonly), sum(queue_size) FROM system.replicas";
    const running = this.servers.filter(({ program }) => program.processId !== undefined);
    const answers = await Promise.all(
      running.map(async (server) => `${server.name}: ${(await server.sql(question)).trim()}`),
    );
    return answers.filter((answer) => !answer.endsWith(": 0\t0\t0"));
  }

  /** Kills everything and removes the folder, except for the logs if wanted. */
  async stop(then: "remove" | "keep logs" = "remove"): Promise<void> {
    process.off("exit", this.#onExit);
    await Promise.all(this.programs.map((program) => program.end()));
    if (then === "remove") return rmSync(this.folder, { recursive: true, force: true });
    for (const { folder } of this.programs) {
      for (const large of ["data", "temporary"]) {
        rmSync(path.join(folder, large), { recursive: true, force: true });
      }
    }
    rmSync(path.join(this.folder, "lab.json"), { force: true });
  }

  #names(): string {
    return this.programs.map(({ name }) => name).join(", ");
  }
}

async function planFor(layout: Layout): Promise<Plan> {
  const { shards, replicas, hasZooKeeper = shards * replicas > 1 } = layout;
  const ports = await freePorts(3 * shards * replicas + 1);
  const next = (): number => ports.pop() as number;
  const portsOfOne = (): ServerPorts => ({ http: next(), native: next(), interserver: next() });
  return {
    shards: Array.from({ length: shards }, () => Array.from({ length: replicas }, portsOfOne)),
    ...(hasZooKeeper ? { zooKeeperPort: next() } : {}),
  };
}
