/**
 * The system under test of the recorded incidents: `node target.ts app PORT DATABASE_PORT` or `node target.ts db PORT`. The process that starts it sends
 * faults as messages; it writes what it measures of itself to standard output, a line of line protocol each second.
 */

import { Agent, createServer, get, type ServerResponse } from "node:http";
import { monitorEventLoopDelay, PerformanceObserver } from "node:perf_hooks";

/** What is wrong with a process; members that are absent are as usual. */
export interface Fault {
  /** Milliseconds of each fifth of a second in which the thread computes something else. */
  readonly hogMs?: number;
  /** Connections to the database. */
  readonly pool?: number;
  /** Answers with this status, at this endpoint if it is given. */
  readonly status?: number;
  readonly endpoint?: string;
  /** Factor of the time that it takes, at `endpoint` if it is given. */
  readonly slower?: number;
  /** Queries compute instead of waiting. */
  readonly isComputing?: boolean;
  /** Queries of `endpoint` wait for a lock. */
  readonly hasLock?: boolean;
  /** Millions of objects that are kept, and thousands that each request makes. */
  readonly kept?: number;
  readonly made?: number;
}

const [role, port, databasePort] = process.argv.slice(2);
const host = `${role}-1`;
let fault: Fault = {};
const measured = { active: 0, waiting: 0, locked: 0, errors: 0, gcMs: 0, made: 0 };

process.on("message", (told: Fault) => {
  fault = told;
  Object.assign(globalThis, {
    kept: Array.from({ length: Math.round((told.kept ?? 0) * 1e6) }, (_, index) => ({
      index,
      text: `${index}`,
    })),
  });
});
process.on("disconnect", () => process.exit(0));

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function compute(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end;) Math.sqrt(end);
}

/** Milliseconds around `middle`, as service times are: most a little less, some twice as long. */
function around(middle: number): number {
  return middle * (0.75 + 0.25 * -Math.log(1 - Math.random()));
}

const isHere = (endpoint: string): boolean => (fault.endpoint ?? endpoint) === endpoint;

const agent = new Agent({ keepAlive: true });
const queue: (() => void)[] = [];
let used = 0;

/** A query takes one of the connections of the pool. */
async function query(endpoint: string): Promise<number> {
  measured.waiting += 1;
  if (used >= (fault.pool ?? 50)) await new Promise<void>((resolve) => queue.push(resolve));
  used += 1;
  measured.waiting -= 1;
  try {
    return await new Promise((resolve) => {
      const request = get(
        { port: Number(databasePort), path: `/${endpoint}`, agent },
        (response) => {
          response.resume().on("end", () => resolve(response.statusCode ?? 500));
        },
      );
      request.on("error", () => resolve(502));
    });
  } finally {
    used -= 1;
    if (used < (fault.pool ?? 50)) queue.shift()?.();
  }
}

const BASE_MS: Readonly<Record<string, number>> = { home: 20, search: 50, cart: 35, checkout: 70 };

async function serveApp(endpoint: string): Promise<number> {
  compute(1);
  measured.made = Array.from({ length: (fault.made ?? 0) * 1000 }, (_, index) => ({
    index,
    text: `${index}`,
  })).length;
  const factor = isHere(endpoint) ? (fault.slower ?? 1) : 1;
  await pause(around(15) * factor);
  if (fault.status !== undefined && isHere(endpoint)) {
    measured.errors += 1;
    return fault.status;
  }
  if (endpoint === "home") return 200;
  const status = await query(endpoint);
  if (status >= 400) measured.errors += 1;
  return status;
}

async function serveDatabase(endpoint: string): Promise<number> {
  const ms = around(BASE_MS[endpoint] ?? 30);
  if (!isHere(endpoint)) {
    await pause(ms);
  } else if (fault.isComputing) {
    // In slices, as other queries go on.
    const slice = (ms * (fault.slower ?? 1)) / 20;
    for (let count = 0; count < 10; count++) {
      compute(slice);
      await pause(slice);
    }
  } else {
    const locked = fault.hasLock ? 1 : 0;
    measured.locked += locked;
    await pause(ms * (fault.slower ?? 1));
    measured.locked -= locked;
  }
  if (fault.status === undefined || !isHere(endpoint)) return 200;
  measured.errors += 1;
  return fault.status;
}

async function answer(endpoint: string, response: ServerResponse): Promise<void> {
  const status = await (role === "app" ? serveApp(endpoint) : serveDatabase(endpoint));
  measured.active -= 1;
  response.writeHead(status, { "content-type": "text/plain" }).end("done");
}

const server = createServer((request, response: ServerResponse) => {
  const endpoint = (request.url ?? "/").slice(1);
  measured.active += 1;
  void answer(endpoint, response);
});
server.keepAliveTimeout = 60_000;
server.listen(Number(port), "127.0.0.1", () => process.send?.("listening"));

const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) measured.gcMs += duration;
}).observe({ entryTypes: ["gc"] });

setInterval(() => {
  if (fault.hogMs !== undefined) compute(fault.hogMs);
}, 200);

setInterval(() => {
  const { active, waiting, locked, errors, gcMs } = measured;
  const lag = Math.max(0, (delay.mean || 0) / 1e6 - 10);
  const own = {
    node: {
      eventloop_lag_ms: lag,
      heap_used: process.memoryUsage().heapUsed,
      gc_ms: gcMs,
      active_requests: active,
    },
    ...(role === "app" ? { pool: { waiting, in_use: used } } : { locks: { waiting: locked } }),
    errors: { per_second: errors },
  };
  [measured.gcMs, measured.errors] = [0, 0];
  delay.reset();
  const at = `${Date.now()}000000`;
  for (const [name, fields] of Object.entries(own)) {
    const values = Object.entries(fields).map(
      ([field, value]) => `${field}=${Number(value.toPrecision(4))}`,
    );
    console.log(`${name},host=${host} ${values.join(",")} ${at}`);
  }
}, 1000);
