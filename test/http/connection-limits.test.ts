/** Who keeps a slot when there are more clients than slots. */

import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { exchange, open, parseAnswers } from "../support/raw-http.ts";
import { streamsOfTests } from "../support/streamed-answers.ts";

const streams = streamsOfTests();
const { listen, ask, requestText, eventsLogged } = streams;

test("a key whose readers stall loses a slot to another key", async () => {
  await listen({ chunks: 1_000_000 }, { largeResponsesMax: 2 });
  const stalled = [await ask(), await ask()];
  for (const reader of stalled) {
    await once(reader, "data");
    reader.pause();
  }
  const otherKey = await streams.world.makeKey("read");
  const own = requestText();
  const other = own.replace(streams.world.key, otherKey);
  let status = 503;
  let ownStatus: number | undefined;
  while (status === 503) {
    await setImmediate();
    const reader = await open(streams.world.port);
    reader.write(other);
    const [bytes] = (await once(reader, "data")) as [Buffer];
    status = Number(bytes.toString("latin1").slice(9, 12));
    if (status === 200)
      ownStatus = parseAnswers(await exchange(streams.world.port, own))[0]?.status;
    reader.destroy();
  }
  // The stalling key gets no slot back: it has as many as the other one.
  expect([status, ownStatus]).toEqual([200, 503]);
  expect(eventsLogged()).toContain("response_stalled");
  for (const reader of stalled) reader.destroy();
});

test("a connection over the limit replaces the one that was silent for longest", async () => {
  await listen({ chunks: 0 }, { connectionsMax: 2 });
  const [first, second] = [await open(streams.world.port), await open(streams.world.port)];
  await requireHealthy(first);
  const closed = once(second.resume(), "close");
  const third = await open(streams.world.port);
  await closed;
  await requireHealthy(first);
  await requireHealthy(third);
  expect(await scrape()).toContain('connections_closed_total{limit="connectionsMax"} 1');
  first.destroy();
  third.destroy();
});

test("a further connection is closed when all others are busy", async () => {
  const source = await listen({ chunks: 1_000_000 }, { connectionsMax: 1 });
  const reader = await ask();
  await once(reader, "data");
  reader.pause();
  const further = await open(streams.world.port);
  further.on("error", () => undefined);
  await once(further.resume(), "close");
  expect(source.ended).toBe(false);
  reader.destroy();
});

test("an address at its limit loses one of its own connections", async () => {
  await listen({ chunks: 0 }, { connectionsPerAddressMax: 2 });
  const other = await openFrom("127.0.0.2");
  const [first, second] = [await open(streams.world.port), await open(streams.world.port)];
  const closed = once(first.resume(), "close");
  const third = await open(streams.world.port);
  await closed;
  for (const socket of [other, second, third]) {
    await requireHealthy(socket);
    expect(socket.destroyed).toBe(false);
    socket.destroy();
  }
});

test("a trusted proxy has connections for many clients, each with a limit of its own", async () => {
  const settings = { connectionsPerAddressMax: 1, trustedProxies: ["127.0.0.1"] };
  await listen({ chunks: 1_000_000 }, settings);
  const reader = await ask("X-Forwarded-For: 1.1.1.1");
  await once(reader, "data");
  reader.pause();
  const same = parseAnswers(
    await exchange(streams.world.port, requestText("X-Forwarded-For: 6.6.6.6, 1.1.1.1")),
  );
  expect([same[0]?.status, same[0]?.body.toString()]).toEqual([
    503,
    expect.stringContaining("connectionsPerAddressMax"),
  ]);
  expect(streams.world.logged.at(-1)).toMatchObject({ address: "1.1.1.1", status: 503 });
  const other = await ask("X-Forwarded-For: 2.2.2.2");
  const [bytes] = (await once(other, "data")) as [Buffer];
  expect(bytes.toString("latin1")).toMatch(/^HTTP\/1\.1 200 OK/);
  reader.destroy();
  other.destroy();
});

async function requireHealthy(socket: Socket): Promise<void> {
  const answered = once(socket, "data");
  socket.write("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const [bytes] = (await answered) as [Buffer];
  expect(bytes.toString()).toMatch(/^HTTP\/1\.1 200 OK/);
}

async function openFrom(localAddress: string): Promise<Socket> {
  const socket = connect({ port: streams.world.port, host: "127.0.0.1", localAddress });
  await once(socket, "connect");
  return socket;
}

async function scrape(): Promise<string> {
  return (await streams.world.server.inject({ url: "/metrics" })).payload;
}
