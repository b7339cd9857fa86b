/** A server whose responses are streams of chunks that tests observe. */

import { randomFillSync } from "node:crypto";
import type { Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterEach } from "vitest";
import type { HttpSettings } from "../../src/http/settings.ts";
import type { MetricsAnswer } from "../../src/query/read-metrics.ts";
import { open } from "./raw-http.ts";
import { createTestServer, type TestServer } from "./test-server.ts";

export const CHUNK_BYTES = 64 * 1024;

/** A response of `chunks` chunks, after `before`; `fault` is thrown after the last one. */
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

/** The server of the current test, with shortcuts for the tests of a file. */
interface StreamsOfTests {
  /** Throws before `listen`. */
  readonly world: StreamWorld;
  readonly listen: (plan: SourcePlan, settings?: Partial<HttpSettings>) => Promise<StreamSource>;
  /** Opens a connection and requests a stream on it. */
  readonly ask: (...headers: readonly string[]) => Promise<Socket>;
  readonly requestText: (...headers: readonly string[]) => string;
  readonly eventsLogged: () => readonly string[];
}

/**
 * Call it once per test file; each test must call `listen`. The server is closed after each test.
 */
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

/** Random chunks, which cannot be compressed, so that every encoding has something to send. */
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
