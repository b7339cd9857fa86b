import { open, parseAnswers } from "../support/raw-http.ts";
import { sample } from "../support/batches.ts";
import { createTestServer, type TestServer } from "../support/test-server.ts";
import type { FuzzTarget } from "./target.ts";

interface World extends Pick<TestServer, "server" | "logged"> {
  readonly port: number;
  readonly headers: string;
}

const ANSWER_MS_MAX = 2000;
const LINGER_MS = 100;

/**
 * The HTTP parameters of every operation. An input is a request target and lines of headers. A real server in
 * this process responds over a socket.
 */
export function createHttpTarget(): FuzzTarget {
  let world: Promise<World> | undefined;
  return {
    name: "http",
    cost: 3,
    async run(input) {
      world ??= openWorld();
      await check(await world, Buffer.from(input).toString("latin1"));
    },
    async close() {
      await (await world)?.server.close();
    },
  };
}

async function openWorld(): Promise<World> {
  const samples = ["GET /a", "b", "商品"].flatMap((label) => [
    sample(label, 1_700_000_000, 250_000),
    { ...sample(label, 1_700_000_061, 1), failed: true },
  ]);
  const { server, logged, key } = await createTestServer({
    samples,
    // A request without the body that it announces is answered, and then waited for.
    settings: { lingerMs: LINGER_MS },
  });
  const port = Number(new URL(await server.listen()).port);
  return { server, logged, port, headers: `Host: localhost\r\nX-Service-Auth: ${key}\r\n` };
}

async function check({ port, headers, logged }: World, input: string): Promise<void> {
  const [target = "", ...lines] = input.split("\n");
  const further = lines.map((line) => `${line}\r\n`).join("");
  const request = `GET ${target} HTTP/1.1\r\n${headers}${further}Connection: close\r\n\r\n`;
  const linesBefore = logged.length;
  const bytes = await answerTo(port, request);
  const faults = logged.slice(linesBefore).filter(({ event }) => event === "server_fault");
  if (faults.length > 0) throw new Error(`server fault: ${JSON.stringify(faults[0])}`);
  // The server waits for a request head without an end or for a missing body.
  if (bytes === undefined) return;
  for (const { status, body, headers: given } of parseAnswers(bytes)) {
    if (status >= 500) throw new Error(`status ${status}: ${body.toString()}`);
    if (status < 400) continue;
    // Clients of InfluxDB get errors in InfluxDB's format.
    const type = given.get("content-type") ?? "";
    if (!/^application\/(?:problem\+)?json\b/.test(type)) {
      throw new Error(`status ${status} as ${type}`);
    }
    JSON.parse(body.toString());
  }
}

/** Everything up to the close of the connection; `undefined` if the server waits for more. */
async function answerTo(port: number, request: string): Promise<Buffer | undefined> {
  const socket = await open(port);
  const received: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      socket.destroy();
      if (received.length > 0) reject(new Error(`no end of the answer within ${ANSWER_MS_MAX} ms`));
      else resolve(undefined);
    }, ANSWER_MS_MAX / 4);
    socket.on("data", (bytes: Buffer) => received.push(bytes));
    socket.on("error", () => undefined);
    socket.on("close", () => {
      clearTimeout(timer);
      resolve(Buffer.concat(received));
    });
    socket.write(Buffer.from(request, "latin1"));
  });
}
