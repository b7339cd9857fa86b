import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { open, parseAnswers } from "../../support/raw-http.ts";
import { batchesIn } from "../around/batches-in.ts";
import { LiveSenders } from "../around/live-senders.ts";
import { resultFile } from "../around/result-file.ts";
import { ServedStore } from "../around/served-store.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const ROWS = 2000;
/** The server drops clients that are silent for this long, and is itself stopped for longer. */
const SILENCE_MS = 1500;
const PAUSE_MS = 2500;

export const pauseServer: Fault = {
  id: "C19",
  title:
    "A server is stopped (SIGSTOP) for longer than it waits for its clients, and goes on: nothing is lost or doubled, and no client is blamed for the pause.",
  rounds: { fast: 1, nightly: 10, release: 20 },

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    const file = readFileSync(await resultFile(folder, ROWS));
    const silence = ["--body-stall-ms", String(SILENCE_MS), "--stall-ms", String(SILENCE_MS)];
    await using server = await ServedStore.startIn(folder, silence);
    await server.createLoadTest("live");
    const senders = new LiveSenders({ port: server.port, key: server.key, loadTestId: "live" });
    let longestMs = 0;
    for (let round = 0; round < rounds; round++) {
      await senders.next();
      const rest = await beginUpload(server, file, `uploaded-${round}`);
      server.running.process.kill("SIGSTOP");
      const answer = rest();
      await setTimeout(PAUSE_MS);
      server.running.process.kill("SIGCONT");
      const wokenAtMs = performance.now();
      await senders.next();
      longestMs = Math.max(longestMs, performance.now() - wokenAtMs);
      const [{ status, body } = { status: 0, body: "" }] = parseAnswers(await answer);
      assert.equal(status, 201, `the upload that went on meanwhile: ${body.toString()}`);
    }
    await senders.stop();
    assert.deepEqual(await batchesIn(server, "live"), senders.acknowledged);
    return {
      pauses: rounds,
      "batches acknowledged": senders.acknowledged.reduce((sum, batches) => sum + batches, 0),
      "lost or doubled": 0,
      "clients blamed": 0,
      "longest ms until it acknowledges again": Math.round(longestMs),
    };
  },
};

/**
 * Uploads the first half of a file. The function returned sends the second half and reads the response.
 */
async function beginUpload(
  server: ServedStore,
  file: Buffer,
  id: string,
): Promise<() => Promise<Buffer>> {
  const socket = await open(server.port);
  socket.write(
    `POST /Api/LoadTests/${id}/Results HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n` +
      `X-Service-Auth: ${server.key}\r\nContent-Length: ${file.length}\r\n\r\n`,
  );
  const half = Math.floor(file.length / 2);
  socket.write(file.subarray(0, half));
  while (!(await server.text(`/Api/LoadTests/${id}/Results`)).includes(`"receivedBytes":${half}`)) {
    await setTimeout(5);
  }
  return async () => {
    const received: Buffer[] = [];
    socket.on("data", (bytes: Buffer) => received.push(bytes));
    socket.write(file.subarray(half));
    await once(socket, "close");
    return Buffer.concat(received);
  };
}
