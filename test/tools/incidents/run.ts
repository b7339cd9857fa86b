/**
 * Records k6 and JMeter while faults are injected into their target, and as often without: `test/fixtures/incidents`.
 *
 *     npm run task test:incidents -- --folder FOLDER              all, four at a time
 *     npm run task test:incidents -- --folder FOLDER k6-stop      only these
 *
 * Each run takes a minute. `truth.json` says what was done when; nothing of Tachograph is asked.
 */

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { createInterface } from "node:readline";
import path from "node:path";
import { parseArgs } from "node:util";
import { gzipSync } from "node:zlib";
import { installTool } from "../install.ts";
import { jmeter } from "../jmeter.ts";
import { k6 } from "../k6.ts";
import { FAULTS, type Scenario } from "./faults.ts";
import { planOf } from "./plan.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { folder: { type: "string" }, "at-once": { type: "string", default: "4" } },
});

/** The fault begins some seconds after the middle. */
const [SECONDS, FAULT_AT] = [50, 26];
const ROWS_OF_K6 =
  /^(?:metric_name|http_req_duration|http_req_failed|iterations|dropped_iterations|vus),/;

interface Done {
  readonly tool: Scenario["tool"];
  /** UNIX seconds; absent without a fault. */
  readonly from?: number;
  readonly until?: number;
  readonly event?: { readonly at: number; readonly text: string };
}

interface Processes {
  readonly app: ChildProcess;
  readonly db: ChildProcess;
  readonly generator: ChildProcess;
  readonly startApp: () => Promise<ChildProcess>;
}

function wait(seconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}

class Run {
  readonly #scenario: Scenario;
  readonly #folder: string;
  readonly #lines: string[] = [];
  readonly #children: ChildProcess[] = [];
  /** CPU time of the processes of a host, in hundredths of a second. */
  readonly #hosts = new Map<string, { pid: number; before: number; at: number; role?: string }>();
  #network: Scenario["network"];
  #resent = 0;
  readonly #first = Promise.withResolvers<void>();

  constructor(scenario: Scenario, folder: string) {
    this.#scenario = scenario;
    this.#folder = folder;
  }

  async record(): Promise<Done> {
    rmSync(this.#folder, { recursive: true, force: true });
    mkdirSync(this.#folder, { recursive: true });
    const [databasePort, appPort] = [await freePort(), await freePort()];
    const db = await this.#target("db", databasePort);
    const startApp = () => this.#target("app", appPort, databasePort);
    const app = await startApp();
    const proxy = createServer((client) => this.#pass(client, appPort)).listen(0, "127.0.0.1");
    await once(proxy, "listening");
    const { port } = proxy.address() as AddressInfo;
    const sampler = setInterval(() => this.#sample(port), 1000);
    const { isThroughout, truth, tool } = this.#scenario;
    if (isThroughout) this.#begin(app, db);
    const generator = await this.#generate(port);
    const done =
      truth === undefined ? { tool } : await this.#inject({ app, db, generator, startApp });
    if (generator.exitCode === null) await once(generator, "exit");
    clearInterval(sampler);
    proxy.close();
    for (const child of this.#children) child.kill("SIGKILL");
    return done;
  }

  /** Ends with the fault. */
  async #inject({ app, db, generator, startApp }: Processes): Promise<Done> {
    const { eventBefore = 0, truth, tool, lasting = SECONDS } = this.#scenario;
    await this.#first.promise;
    await wait(FAULT_AT - eventBefore);
    const event = truth?.event && { at: Date.now() / 1000, text: truth.event };
    await wait(eventBefore);
    const from = Date.now() / 1000;
    this.#begin(app, db);
    await Promise.race([wait(lasting), once(generator, "exit")]);
    const { signal } = this.#scenario;
    if (signal?.kind === "kill") await startApp();
    else if (signal) (signal.to === "app" ? app : db).kill("SIGCONT");
    this.#network = undefined;
    for (const child of [app, db]) if (child.connected) child.send({});
    return { tool, from, until: Date.now() / 1000, ...(event && { event }) };
  }

  results(): { readonly requests: string; readonly measures: string } {
    const { tool } = this.#scenario;
    const text = readFileSync(
      path.join(this.#folder, tool === "k6" ? "run.csv" : "run.jtl"),
      "utf8",
    );
    const rows = text.split("\n").filter((row) => tool !== "k6" || ROWS_OF_K6.test(row));
    return { requests: `${rows.join("\n").trim()}\n`, measures: `${this.#lines.join("\n")}\n` };
  }

  #begin(app: ChildProcess, db: ChildProcess): void {
    const { app: ofApp, database, network, signal } = this.#scenario;
    this.#network = network;
    if (signal) {
      const signalled = signal.to === "app" ? app : db;
      signalled.kill(signal.kind === "kill" ? "SIGKILL" : "SIGSTOP");
    }
    if (ofApp) app.send(ofApp);
    if (database) db.send(database);
  }

  async #target(role: "app" | "db", ...ports: readonly number[]): Promise<ChildProcess> {
    const file = path.join(import.meta.dirname, "target.ts");
    const child = spawn(
      process.execPath,
      ["--max-old-space-size=400", file, role, ...ports.map(String)],
      {
        stdio: ["ignore", "pipe", "inherit", "ipc"],
      },
    );
    this.#children.push(child);
    this.#watch(`${role}-1`, child);
    if (child.stdout) createInterface(child.stdout).on("line", (line) => this.#lines.push(line));
    await once(child, "message");
    return child;
  }

  /** One core is all that a load generator has. */
  async #generate(port: number): Promise<ChildProcess> {
    const { tool, isGeneratorBusy, load = tool === "k6" ? 25 : 8 } = this.#scenario;
    const cwd = this.#folder;
    const folder = await installTool(tool === "k6" ? k6 : jmeter);
    const target = `http://127.0.0.1:${port}`;
    let command: string[];
    if (tool === "k6") {
      const script = path.join(import.meta.dirname, "k6.js");
      const env = [
        ["TARGET", target],
        ["RATE", load],
        ["SECONDS", SECONDS],
        ...(isGeneratorBusy ? [["HOG_AT", FAULT_AT]] : []),
      ];
      command = [
        path.join(folder, "k6"),
        "run",
        "--quiet",
        "--no-usage-report",
        "--out",
        "csv=run.csv",
        ...env.flatMap(([name, value]) => ["-e", `${name}=${value}`]),
        script,
      ];
    } else {
      writeFileSync(path.join(cwd, "plan.jmx"), planOf({ port, users: load, seconds: SECONDS }));
      command = [
        "java",
        "-XX:+UseSerialGC",
        "-jar",
        path.join(folder, "bin", "ApacheJMeter.jar"),
        "-n",
        "-t",
        "plan.jmx",
        "-l",
        "run.jtl",
        "-j",
        "jmeter.log",
        "-Jjmeterengine.nongui.port=0",
      ];
    }
    const child = spawn("taskset", ["-c", "1", ...command], {
      cwd,
      stdio: "ignore",
      env: { ...process.env, K6_CSV_TIME_FORMAT: "unix_milli", GOMAXPROCS: "1" },
    });
    this.#children.push(child);
    this.#watch("gen-1", child, "generator");
    if (isGeneratorBusy && tool === "jmeter")
      void this.#first.promise.then(() => setTimeout(() => this.#hog(), FAULT_AT * 1000));
    return child;
  }

  /** Others on the generator's core. */
  #hog(): void {
    const busy = "for (const end = Date.now() + 60_000; Date.now() < end;) Math.sqrt(end)";
    const hogs = Array.from({ length: 4 }, () =>
      spawn("taskset", ["-c", "1", process.execPath, "-e", busy], { stdio: "ignore" }),
    );
    this.#children.push(...hogs);
    for (const hog of hogs) this.#watch(`gen-1 ${hog.pid}`, hog, "generator");
  }

  #watch(host: string, { pid = 0 }: ChildProcess, role?: string): void {
    this.#hosts.set(host, { pid, before: 0, at: Date.now(), ...(role && { role }) });
  }

  /** CPU and memory of each host, as an agent beside it measures them, and what the load balancer sees. */
  #sample(port: number): void {
    const now = Date.now();
    const busy = new Map<string, { tags: string; percent: number; kilobytes: number }>();
    for (const [name, host] of this.#hosts) {
      const [own = ""] = name.split(" ");
      const read = cpuOf(host.pid);
      const percent =
        read === undefined || host.before === 0
          ? 0
          : (1000 * (read.hundredths - host.before)) / (now - host.at);
      const sum = busy.get(own) ?? {
        tags: `host=${own}${host.role ? `,role=${host.role}` : ""}`,
        percent: 0,
        kilobytes: 0,
      };
      busy.set(own, {
        ...sum,
        percent: sum.percent + percent,
        kilobytes: sum.kilobytes + (read?.kilobytes ?? 0),
      });
      Object.assign(host, { before: read?.hundredths ?? 0, at: now });
    }
    for (const { tags, percent, kilobytes } of busy.values()) {
      this.#lines.push(
        `cpu,${tags} usage_active=${Math.min(100, percent).toFixed(1)} ${now}000000`,
        `mem,${tags} used=${kilobytes * 1024} ${now}000000`,
      );
    }
    this.#lines.push(`tcp,host=lb-1 resent=${this.#resent} ${now}000000`);
    this.#resent = 0;
    const began = performance.now();
    const probe = connect(port, "127.0.0.1").on("error", () => undefined);
    probe.setTimeout(3000, () => probe.destroy());
    probe.write("GET /ping HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    probe.once("data", () => {
      const ms = performance.now() - began;
      this.#lines.push(`ping,host=lb-1 response_ms=${ms.toFixed(1)} ${Date.now()}000000`);
      probe.destroy();
    });
  }

  #pass(client: Socket, port: number): void {
    const upstream = connect(port, "127.0.0.1");
    upstream.on("data", (bytes: Buffer) => {
      const { lateMs = 0, lost = 0 } = this.#network ?? {};
      let ms = lateMs;
      while (Math.random() < lost) {
        this.#resent += 1;
        ms = ms * 2 + 200;
      }
      if (ms === 0) client.write(bytes);
      else setTimeout(() => client.writable && client.write(bytes), ms);
    });
    client.on("data", (bytes) => {
      if (!String(bytes).startsWith("GET /ping")) this.#first.resolve();
      upstream.write(bytes);
    });
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      // What is late still arrives.
      const close = () => setTimeout(() => other.destroy(), this.#network ? 1000 : 0);
      one.on("error", close).on("close", close);
    }
  }
}

function cpuOf(
  pid: number,
): { readonly hundredths: number; readonly kilobytes: number } | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return {
      hundredths: Number(fields[11]) + Number(fields[12]),
      kilobytes: Number(fields[21]) * 4,
    };
  } catch {
    return undefined;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

const HEALTHY = Array.from({ length: 20 }, (_, index): [string, Scenario] => {
  const tool = index % 2 === 0 ? "k6" : "jmeter";
  const load = (tool === "k6" ? [10, 25, 40] : [4, 8, 16])[index % 3] ?? 8;
  return [`${tool}-healthy-${index + 1}`, { tool, load }];
});

const folder = path.resolve(values.folder ?? "build/incidents");
const truthFile = path.join(folder, "truth.json");
const all = [...Object.entries(FAULTS), ...HEALTHY].filter(
  ([name]) => positionals.length === 0 || positionals.includes(name),
);
mkdirSync(folder, { recursive: true });

async function recordNext(): Promise<void> {
  for (let next = all.shift(); next !== undefined; next = all.shift()) {
    const [name, scenario] = next;
    const run = new Run(scenario, path.join(folder, "work", name));
    const done = await run.record();
    const { requests, measures } = run.results();
    const extension = scenario.tool === "k6" ? "csv" : "jtl";
    writeFileSync(path.join(folder, `${name}.${extension}.gz`), gzipSync(requests, { level: 9 }));
    writeFileSync(path.join(folder, `${name}.lp.gz`), gzipSync(measures, { level: 9 }));
    const known = readTruth();
    writeFileSync(
      truthFile,
      `${JSON.stringify({ ...known, [name]: { ...scenario.truth, ...done } }, undefined, 2)}\n`,
    );
    console.log(name, JSON.stringify(done));
  }
}

function readTruth(): object {
  try {
    return JSON.parse(readFileSync(truthFile, "utf8")) as object;
  } catch {
    return {};
  }
}

await Promise.all(Array.from({ length: Number(values["at-once"]) }, recordNext));
