import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { seededRandom } from "../../bench/seeded-random.ts";
import type { FacetsJson } from "../../src/api/facets.ts";
import type { MeasuresJson } from "../../src/api/measures.ts";
import type { SampleItem } from "../../src/api/samples.ts";
import { SAMPLE_BYTES_DEFAULT } from "../../src/model/samples/sample-choice.ts";
import { readFacets } from "../../src/query/read-facets.ts";
import { readSamples } from "../../src/query/read-samples.ts";
import { ALL_ENDPOINTS } from "../../src/series/endpoint-selection.ts";
import type { Points } from "../../src/store/store.ts";
import { readMeasures } from "../../src/query/read-measures.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { readResults } from "../independent/read-results.mjs";
import { readingDifferences } from "../samples/check-file.ts";
import {
  type Imported,
  importAndRead,
  LOAD_TEST_ID as FILE_ID,
  readBack,
} from "../samples/import-and-read.ts";
import {
  type RunningTachograph,
  runTachograph,
  startTachograph,
} from "../support/run-tachograph.ts";
import type { TargetServer } from "./target-server.ts";
import type { Comparison } from "./tool.ts";

/** How often sender and server are killed. */
const KILLS = 10;
const LOAD_TEST_ID = "killed";
/** Load before each kill of the sender. */
const LOADED_MS = 2500;

/** A tool with our integration in it. */
export interface Sender {
  /** What sends, started anew after each kill. `isLast`: it ends by itself. */
  start(round: Round): SenderCommand;
  /** Users of a round, all of which wait for the target when it holds its answers. */
  readonly users: number;
  /** Joins what the rounds recorded to the one file that the sent data must equal. */
  readFile(this: void): Uint8Array;
  /** Names of measures that it sends and the file lacks. @default none */
  readonly measuresBeyondFile?: readonly string[];
}

export interface Round {
  readonly number: number;
  readonly isLast: boolean;
  readonly url: string;
  readonly key: string;
  readonly loadTestId: string;
}

interface SenderCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Kills the sender ten times and the server ten times while requests are sent, then lets the sender finish.
 * Returns how what the server has differs from the recorded file. The sender is killed while all of its users wait
 * for an answer: otherwise the file itself could lack a request that was just sent, or the other way round.
 */
export async function compareKilledRuns(
  sender: Sender,
  { workFolder, target }: { readonly workFolder: string; readonly target: TargetServer },
): Promise<Comparison> {
  const server = await KilledServer.start(path.join(workFolder, "data"));
  try {
    await runKilled(sender, server, { workFolder, target });
  } finally {
    await server.stop();
  }
  return compare(sender, await server.read());
}

async function runKilled(
  sender: Sender,
  server: KilledServer,
  { workFolder, target }: { readonly workFolder: string; readonly target: TargetServer },
): Promise<void> {
  const random = seededRandom(7);
  const { url, key } = server;
  for (let number = 0; number <= KILLS; number++) {
    const isLast = number === KILLS;
    const round = { number, isLast, url, key, loadTestId: LOAD_TEST_ID };
    const child = spawnLogged(sender.start(round), path.join(workFolder, "sender.log"));
    if (isLast) {
      const [code] = (await once(child, "exit")) as [number | null];
      if (code !== 0) throw new Error(`the last sender ended with ${code}: see sender.log`);
      return;
    }
    const exit = once(child, "exit");
    try {
      await firstRequest(target, child);
      await delay(LOADED_MS * random());
      await server.killAndRestart();
      await delay(LOADED_MS);
      const answerAgain = await target.hold(sender.users);
      child.kill("SIGKILL");
      await exit;
      answerAgain();
    } finally {
      child.kill("SIGKILL");
    }
  }
}

function spawnLogged({ command, args, cwd, env }: SenderCommand, log: string): ChildProcess {
  const output = openSync(log, "a");
  try {
    return spawn(command, args, {
      cwd,
      env: { ...process.env, ...env },
      stdio: ["ignore", output, output],
    });
  } finally {
    closeSync(output);
  }
}

async function firstRequest(target: TargetServer, child: ChildProcess): Promise<void> {
  const count = (): number => [...target.requests.values()].reduce((sum, each) => sum + each, 0);
  const before = count();
  while (count() === before) {
    if (child.exitCode !== null) throw new Error("the sender ended early: see sender.log");
    await delay(50);
  }
}

/** A server that is killed and comes back at the same address. */
export class KilledServer {
  readonly url: string;
  readonly key: string;
  readonly #directory: string;
  #running: RunningTachograph | undefined;

  private constructor(directory: string, url: string, key: string) {
    this.#directory = directory;
    this.url = url;
    this.key = key;
  }

  static async start(directory: string): Promise<KilledServer> {
    const made = ["keys", "create", "--name", "tool", "--scope", "write", "--data", directory];
    const { out } = await runTachograph(made);
    const url = `http://127.0.0.1:${await freePort()}`;
    const server = new KilledServer(directory, url, out.trim());
    await server.#launch();
    return server;
  }

  async killAndRestart(): Promise<void> {
    this.#running?.process.kill("SIGKILL");
    await this.#running?.outcome;
    await this.#launch();
  }

  /** Ends it at once, if it still runs. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#running?.process.kill("SIGKILL");
    await this.#running?.outcome;
  }

  async stop(): Promise<void> {
    this.#running?.process.kill("SIGTERM");
    const outcome = await this.#running?.outcome;
    if (outcome?.exitCode !== 0) throw new Error(`the server ended badly: ${outcome?.error}`);
  }

  async read(): Promise<Sent> {
    const file = path.join(this.#directory, "tachograph.sqlite");
    const store = await openSqliteStore(file, { now: () => Date.now() });
    try {
      const [loadTest] = await store.loadTests.list();
      const { endpoints, users } = await readBack(store.points, LOAD_TEST_ID);
      const measures = await readMeasures(store.points, { ...WHOLE, loadTestId: LOAD_TEST_ID });
      const samples = await samplesIn(store.points, LOAD_TEST_ID);
      const { facets } = await readFacets(store.points, {
        loadTestId: LOAD_TEST_ID,
        selection: ALL_ENDPOINTS,
      });
      return { endpoints, users, measures, samples, facets, requests: loadTest?.requests };
    } finally {
      await store.close();
    }
  }

  async #launch(): Promise<void> {
    const port = new URL(this.url).port;
    this.#running = startTachograph(["serve", "--port", port, "--data", this.#directory]);
    await this.#running.printed("answers at");
  }
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

const WHOLE = { range: undefined };

interface Sent extends Pick<Imported, "endpoints" | "users"> {
  readonly measures: MeasuresJson;
  readonly samples: readonly SampleItem[];
  readonly facets: FacetsJson["facets"];
  /** Without sub-results and transactions. */
  readonly requests: number | undefined;
}

async function samplesIn(points: Points, loadTestId: string): Promise<readonly SampleItem[]> {
  const query = { ...WHOLE, loadTestId, selection: ALL_ENDPOINTS, bytesMax: SAMPLE_BYTES_DEFAULT };
  return (await readSamples(points, query)).samples;
}

/** Requests of the same millisecond come in the order of what is kept of them, and only what was sent has bodies. */
function linesOf(samples: readonly SampleItem[]): readonly string[] {
  return samples.map(({ label, time, elapsedMs, code, message }) =>
    JSON.stringify([label, time, elapsedMs, code, message]),
  );
}

/** Lists in any order. Names the first line that differs. */
function listDifferences(
  name: string,
  sent: readonly string[],
  file: readonly string[],
): readonly string[] {
  const [own, wanted] = [sent.toSorted(), file.toSorted()];
  if (isDeepStrictEqual(own, wanted)) return [];
  const differing = own.findIndex((line, at) => line !== wanted[at]);
  const first = differing === -1 ? own.length : differing;
  const [line, ofFile] = [own, wanted].map((lines) => lines[first] ?? "none");
  return [`other ${name} than the file: ${line}, the file has ${ofFile}`];
}

/** Whether failures came with bodies, and whether the requests are those that are kept of the file, where it tells them. */
function sampleDifferences(sent: readonly SampleItem[], file: readonly SampleItem[]): string[] {
  const bodies = sent.filter(({ failed, responseBody }) => failed && responseBody !== undefined);
  return [
    ...(bodies.length === 0 ? ["no failure has a body"] : []),
    ...(file.length === 0 ? [] : listDifferences("samples", linesOf(sent), linesOf(file))),
  ];
}

async function compare(sender: Sender, sent: Sent): Promise<Comparison> {
  const file = sender.readFile();
  const samples = { bytesMax: SAMPLE_BYTES_DEFAULT };
  const imported = await importAndRead(file, { samples });
  const ofFile = { ...WHOLE, loadTestId: FILE_ID };
  const { facets } = await readFacets(imported.points, {
    loadTestId: FILE_ID,
    selection: ALL_ENDPOINTS,
  });
  const values = facets.reduce((sum, facet) => sum + facet.values.length, 0);
  const figures = `${sent.requests} requests, ${sent.endpoints.length} endpoints, ${values} values of facets, ${sent.samples.length} samples, ${KILLS} kills of the sender and of the server`;
  const wrong = sent.endpoints.filter((own, at) => !isDeepStrictEqual(own, imported.endpoints[at]));
  const differences = [
    ...readingDifferences(imported, readResults(file)),
    ...wrong.map(({ label }) => `${label}: other figures than the file`),
    ...(sent.endpoints.length === imported.endpoints.length
      ? []
      : [`${sent.endpoints.length} endpoints, the file has ${imported.endpoints.length}`]),
    ...(sent.requests === imported.report?.requests
      ? []
      : [`${sent.requests} requests, the file has ${imported.report?.requests}`]),
    ...userDifferences(imported, sent),
    ...facetDifferences(sent.facets, facets),
    ...sampleDifferences(sent.samples, await samplesIn(imported.points, FILE_ID)),
    ...measureDifferences(
      withoutMeasures(sent.measures, sender.measuresBeyondFile),
      await readMeasures(imported.points, ofFile),
    ),
  ];
  return { differences, figures };
}

function withoutMeasures(sent: MeasuresJson, names: readonly string[] = []): MeasuresJson {
  return { ...sent, measures: sent.measures.filter(({ name }) => !names.includes(name)) };
}

/** Endpoints come in the order in which they were sent. */
function measureDifferences(sent: MeasuresJson, file: MeasuresJson): readonly string[] {
  const [own = [], wanted = []] = [sent, file].map(({ measures, unstored }) =>
    [unstored, ...measures].map((each) => JSON.stringify(each)),
  );
  return listDifferences("measures", own, wanted);
}

/** Values with their requests. Not every file names what is sent. */
function facetDifferences(sent: FacetsJson["facets"], file: FacetsJson["facets"]): string[] {
  return file
    .filter((facet) => !sent.some((each) => isDeepStrictEqual(each, facet)))
    .map(({ name }) => `facet ${name}: other values than the file`);
}

/** The file names no generator. Files without users are not compared. */
function userDifferences(imported: Imported, sent: Sent): string[] {
  if (imported.users.length === 0) return [];
  const isEqual = isDeepStrictEqual(
    imported.users,
    sent.users.map((users) => ({ ...users, generator: "" })),
  );
  return isEqual ? [] : ["other users than the file"];
}
