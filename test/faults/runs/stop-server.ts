import assert from "node:assert/strict";
import { once } from "node:events";
import type { Socket } from "node:net";
import { setTimeout } from "node:timers/promises";
import { open, parseAnswers } from "../../support/raw-http.ts";
import { batchesIn } from "../around/batches-in.ts";
import { LiveSenders } from "../around/live-senders.ts";
import { IN_ALL_LABELS, resultFile, upload } from "../around/result-file.ts";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const ROWS = 20_000;
const IN_FLIGHT = 100;
const ENDS_WITHIN_MS = 10_000;
const REFUSES_WITHIN_MS = 5000;

export const stopServer: Fault = {
  id: "C17",
  title:
    "A server is asked to end (SIGTERM) with 100 answers under way, live senders, and clients that stall: it answers, refuses further connections and ends well in time.",
  rounds: { fast: 1, nightly: 10, release: 20 },

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    const file = await resultFile(folder, ROWS);
    await using server = await ServedStore.startIn(folder);
    assert.equal(await upload(server, file, "large"), 201);
    let slowestMs = 0;
    for (let round = 0; round < rounds; round++) {
      const loadTestId = `live-${round}`;
      await server.createLoadTest(loadTestId);
      const senders = new LiveSenders({ port: server.port, key: server.key, loadTestId });
      await senders.next();
      slowestMs = Math.max(slowestMs, await endUnderLoad(server, senders));
      await server.start();
      const found = await batchesIn(server, loadTestId);
      for (const [sender, batches] of found.entries()) {
        const acknowledged = senders.acknowledged[sender] ?? 0;
        assert.ok(batches >= acknowledged && batches <= acknowledged + 1, "nothing is lost");
      }
      senders.release();
      await senders.stop();
    }
    return {
      "answers under way": rounds * IN_FLIGHT,
      "cut off": 0,
      "longest ms until it ended": Math.round(slowestMs),
    };
  },
};

/** Returns how long it took to stop. */
async function endUnderLoad(server: ServedStore, senders: LiveSenders): Promise<number> {
  const at = `/Api/Metrics?loadTestId=large&filter=${IN_ALL_LABELS}&format=csv`;
  const expected = await server.text(at);
  const head = `Host: 127.0.0.1\r\nX-Service-Auth: ${server.key}\r\n`;
  const request = `GET ${at} HTTP/1.1\r\n${head}\r\n`;
  const stalled = await Promise.all([
    stalledAfter(server, `GET ${at} HTTP/1.1\r\nHost: 127.0.`),
    stalledAfter(
      server,
      `POST /Api/LoadTests/half/Results HTTP/1.1\r\n${head}Content-Length: 9\r\n\r\n1`,
    ),
    stalledAfter(server, request.repeat(20)),
  ]);
  const answers = await Promise.all(
    Array.from({ length: IN_FLIGHT }, () => beginAnswer(server, request)),
  );
  senders.hold();
  server.running.process.kill("SIGTERM");
  const beganAtMs = performance.now();
  await requireRefusal(server);
  for (const answer of await Promise.all(answers.map((end) => end()))) {
    assert.equal(answer, expected, "an answer under way is whole");
  }
  const { exitCode, error } = await server.running.outcome;
  const tookMs = performance.now() - beganAtMs;
  for (const socket of stalled) socket.destroy();
  assert.equal(exitCode, 0, error);
  assert.ok(tookMs <= ENDS_WITHIN_MS, `it took ${tookMs} ms to end`);
  return tookMs;
}

/** A client that sends `sent` and then neither sends nor reads. */
async function stalledAfter(server: ServedStore, sent: string): Promise<Socket> {
  const socket = await open(server.port);
  socket.on("error", () => undefined);
  socket.pause();
  socket.write(sent);
  return socket;
}

/**
 * Sends a request and resolves when the response has begun. The function returned reads the rest.
 */
async function beginAnswer(server: ServedStore, request: string): Promise<() => Promise<string>> {
  const socket = await open(server.port);
  socket.write(request);
  const received: Buffer[] = [((await once(socket, "data")) as [Buffer])[0]];
  socket.pause();
  return async () => {
    const closed = once(socket, "close");
    socket.on("data", (bytes: Buffer) => received.push(bytes));
    socket.resume();
    await closed;
    const [answer] = parseAnswers(Buffer.concat(received));
    return answer?.isComplete === true ? answer.body.toString() : "cut off";
  };
}

async function requireRefusal(server: ServedStore): Promise<void> {
  const untilMs = performance.now() + REFUSES_WITHIN_MS;
  while (performance.now() < untilMs) {
    const socket = await open(server.port).catch(() => undefined);
    if (socket === undefined) return;
    socket.destroy();
    await setTimeout(10);
  }
  assert.fail("it takes new connections");
}
