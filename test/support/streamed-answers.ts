/** A server whose answers are streams of chunks that tests watch. */

import { randomFillSync } from "node:crypto";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterEach } from "vitest";
import type { HttpSettings } from "../../src/http/settings.ts";
import type { MetricsAnswer } from "../../src/query/read-metrics.ts";
import { open } from "./raw-http.ts";
import { createTestServer, type TestServer } from "./test-server.ts";

export const CHUNK_BYTES = 64 * 1024;

/** An answer of as many chunks as are wanted, after `before`; `fault` is thrown after the last one. */
interface StreamSource extends SourcePlan {
  begun: boolean;
  given: number;
  released: number;
  ended: boolean;
}

interface SourcePlan {
  readonly chunks: number;
  readonly before?: Promise<void>;
  readonly fault?: Error;
}

interface StreamWorld extends TestServer {
  readonly port: number;
  readonly source: StreamSource;
}

/** The server of the test that runs, with short words for what tests of a file ask of it. */
interface StreamsOfTests {
  /** Throws before `listen`. */
  readonly world: StreamWorld;
  readonly listen: (plan: SourcePlan, settings?: Partial<HttpSettings>) => Promise<StreamSource>;
  /** A connection on which a stream was asked for. */
  readonly ask: (...headers: readonly string[]) => Promise<Socket>;
  readonly requestText: (...headers: readonly string[]) => string;
  readonly eventsLogged: () => readonly string[];
}

/** To be called once in a file of tests, each of which listens; its server is closed after it. */
export function streamsOfTests(): StreamsOfTests {
  let opened: StreamWorld | undefined;
  const world = (): StreamWorld => {
    if (opened === undefined) throw new Error("BUG: no stream was opened");
    return opened;
  };
  afterEach(() => world().server.close());
  return {
    get world() {
      return world();
    },
    async listen(plan, settings = {}) {
      opened = await openStreams(plan, settings);
      return opened.source;
    },
    ask: (...headers) => askStream(world(), ...headers),
    requestText: (...headers) => streamRequest(world(), ...headers),
    eventsLogged: () => world().logged.map(({ event }) => event),
  };
}

async function openStreams(
  plan: SourcePlan,
  settings: Partial<HttpSettings>,
): Promise<StreamWorld> {
  const source: StreamSource = { ...plan, begun: false, given: 0, released: 0, ended: false };
  const answer: MetricsAnswer = {
    revision: "r",
    chunks: () => chunksOf(source),
    release: () => void (source.released += 1),
  };
  const dependencies = { openMetrics: async () => answer };
  const server = await createTestServer({ settings, dependencies });
  const port = Number(new URL(await server.server.listen()).port);
  return { ...server, port, source };
}

/** Chunks that cannot be compressed, so that every coding has something to send. */
async function* chunksOf(source: StreamSource): AsyncGenerator<Uint8Array> {
  const chunk = new Uint8Array(CHUNK_BYTES);
  source.begun = true;
  try {
    await source.before;
    while (source.given < source.chunks) {
      source.given += 1;
      yield randomFillSync(chunk);
      await setImmediate();
    }
    if (source.fault !== undefined) throw source.fault;
  } finally {
    source.ended = true;
  }
}

async function askStream(world: StreamWorld, ...headers: readonly string[]): Promise<Socket> {
  const socket = await open(world.port);
  socket.on("error", () => undefined);
  socket.write(streamRequest(world, ...headers));
  return socket;
}

function streamRequest({ key }: StreamWorld, ...headers: readonly string[]): string {
  return [
    "GET /Api/Metrics?loadTestId=run&filter=a HTTP/1.1",
    "Host: localhost",
    `X-Service-Auth: ${key}`,
    ...headers,
    "Connection: close",
    "",
    "",
  ].join("\r\n");
}
