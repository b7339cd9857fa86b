import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdirSync, openSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { MeasuredValue } from "../../support/measured-values.ts";
import { freePort } from "../killed-runs.ts";

/** Debian's Prometheus on loopback, with remote write to a Tachograph server. */
export interface RunningPrometheus {
  readonly url: string;
  /** The values of all series that match a selector, as stored, of the last ten minutes. */
  raw(selector: string): Promise<ReadonlyMap<string, number>>;
  /** Values of a query, asked at once. */
  range(query: string, from: number, until: number): Promise<ReadonlyMap<string, number>>;
  /** Sends what is left, and stops. Idempotent. */
  close(): Promise<void>;
}

export interface WriteTarget {
  readonly url: string;
  readonly key: string;
  readonly loadTestId: string;
  /** Of the names of metrics. */
  readonly pattern: string;
}

/** Scrapes a node exporter of its own every second. Debian's does not send what `headers` has. */
export async function startPrometheus(
  folder: string,
  { url: target, key, loadTestId, pattern }: WriteTarget,
): Promise<RunningPrometheus> {
  mkdirSync(folder, { recursive: true });
  const [port, exporterPort] = [await freePort(), await freePort()];
  const exporter = start(folder, "prometheus-node-exporter", [
    `--web.listen-address=127.0.0.1:${exporterPort}`,
  ]);
  writeFileSync(
    path.join(folder, "prometheus.yml"),
    `global: { scrape_interval: 1s, external_labels: { load_test: ${loadTestId} } }
scrape_configs:
  - job_name: node
    static_configs: [{ targets: ["127.0.0.1:${exporterPort}"] }]
remote_write:
  - url: ${target}/api/v1/write
    authorization: { credentials: ${key} }
    send_native_histograms: true
    queue_config: { batch_send_deadline: 1s, max_backoff: 1s }
    write_relabel_configs:
      - { source_labels: [__name__], regex: "${pattern}", action: keep }
`,
  );
  const prometheus = start(folder, "prometheus", [
    "--config.file=prometheus.yml",
    "--storage.tsdb.path=data",
    "--web.enable-remote-write-receiver",
    "--enable-feature=native-histograms",
    `--web.listen-address=127.0.0.1:${port}`,
  ]);
  const url = `http://127.0.0.1:${port}`;
  const ask = async (call: string, form: Record<string, string>) => {
    const answer = await fetch(`${url}/api/v1/${call}?${new URLSearchParams(form)}`);
    const { data, error } = (await answer.json()) as {
      data?: { result: Result[] };
      error?: string;
    };
    if (data === undefined) throw new Error(`Prometheus: ${error}`);
    return valuesIn(data.result);
  };
  try {
    await untilReady(url, prometheus);
  } catch (error) {
    prometheus.kill("SIGKILL");
    exporter.kill("SIGKILL");
    throw error;
  }
  return {
    url,
    raw: (selector) => ask("query", { query: `${selector}[10m]` }),
    range: (query, from, until) =>
      ask("query_range", { query, start: `${from}`, end: `${until}`, step: "1" }),
    async close() {
      for (const child of [exporter, prometheus]) {
        if (child.exitCode !== null || child.signalCode !== null) continue;
        const end = once(child, "exit");
        child.kill("SIGTERM");
        await end;
      }
    },
  };
}

interface Result {
  readonly metric: Readonly<Record<string, string>>;
  readonly values?: readonly (readonly [second: number, value: string])[];
}

/** By series, second and number of values in it; of several the last one. */
function valuesIn(results: readonly Result[]): ReadonlyMap<string, number> {
  const values = new Map<string, number>();
  for (const { metric, values: all = [] } of results) {
    const { __name__: name = "", ...tags } = metric;
    for (const [second, own] of Map.groupBy(all, ([at]) => Math.floor(at))) {
      values.set(keyOf(name, tags, second, own.length), Number(own.at(-1)?.[1]));
    }
  }
  return values;
}

function keyOf(name: string, tags: object, second: number, count: number): string {
  const sorted = Object.entries(tags).toSorted(([left], [right]) => (left < right ? -1 : 1));
  return `${second} ${name} ${JSON.stringify(sorted)} ${count}`;
}

function start(folder: string, command: string, args: readonly string[]): ChildProcess {
  const output = openSync(path.join(folder, `${command}.log`), "a");
  try {
    return spawn(command, args, { cwd: folder, stdio: ["ignore", output, output] });
  } finally {
    closeSync(output);
  }
}

async function untilReady(url: string, { pid }: ChildProcess): Promise<void> {
  for (let waited = 0; waited < 300; waited++) {
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined);
    if (answer?.ok === true) return;
    await delay(100);
  }
  throw new Error(`Prometheus (process ${pid}) was not ready after 30 s`);
}

/** In the same form. */
export function valuesOf(measured: readonly MeasuredValue[]): ReadonlyMap<string, number> {
  return new Map(
    measured.map(({ name, tags, second, count, last = Number.NaN }) => [
      keyOf(name, tags, second, count),
      last,
    ]),
  );
}

/** Values are stored to a billionth. */
export function differencesOf(
  got: ReadonlyMap<string, number>,
  want: ReadonlyMap<string, number>,
): readonly string[] {
  const isClose = (each: string, value: number) =>
    Math.abs((got.get(each) ?? Number.NaN) - value) <= 1e-9;
  return [
    ...[...want]
      .filter(([each, value]) => !isClose(each, value))
      .map(([each, value]) => `${each}: ${got.get(each)}, Prometheus: ${value}`),
    ...[...got.keys()].filter((each) => !want.has(each)).map((each) => `${each}: only here`),
  ];
}
