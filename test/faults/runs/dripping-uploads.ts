import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import { runTachograph } from "../../support/run-tachograph.ts";
import { ServedStore } from "../around/served-store.ts";
import { SocketCrowd } from "../around/socket-crowd.ts";
import type { Fault, FaultContext, FaultFigures } from "../frame/fault.ts";

const DRIPPING = 36;
const DRIP_EACH_MS = 2000;
/** Until all slow uploads have begun. */
const SETTLE_MS = 2000;
const DONE_WITHIN_MS = 2000;
const HEAD = "timeStamp,elapsed,label,success\n";
const ROWS = 1000;

/** A round is an upload of the other key. */
export const drippingUploads: Fault = {
  id: "A4",
  title:
    "36 uploads of one key send a byte every 2 s, and each one that is given up begins again: an upload of another key is done within 2 s.",
  rounds: { fast: 3, nightly: 20, release: 50 },

  async run({ rounds, folder }: FaultContext): Promise<FaultFigures> {
    await using server = await ServedStore.startIn(folder);
    const words = ["--name", "drip", "--scope", "write", "--data", server.data];
    const { out } = await runTachograph(["keys", "create", ...words]);
    const drips = dripsInto(server.port, out.trim());
    const tookMs: number[] = [];
    for (let round = 0; round < rounds; round++) {
      await delay(SETTLE_MS);
      const beganAtMs = performance.now();
      const answer = await server.fetch(`/Api/LoadTests/good-${round}/Results?file=good.csv`, {
        method: "POST",
        body: fileOf(round),
      });
      assert.equal(answer.status, 201, await answer.text());
      tookMs.push(performance.now() - beganAtMs);
    }
    drips.end();
    const longestMs = Math.max(...tookMs);
    assert.ok(longestMs <= DONE_WITHIN_MS, `an upload took ${Math.round(longestMs)} ms`);
    return {
      uploads: rounds,
      refused: 0,
      "longest in ms": Math.round(longestMs),
      "dripping uploads begun": drips.begun,
    };
  },
};

function fileOf(round: number): string {
  const rows = Array.from(
    { length: ROWS },
    (_, row) => `${1_700_000_000_000 + row},5,r${round},true\n`,
  );
  return HEAD + rows.join("");
}

/** Uploads that begin normally and then send a byte now and then. */
function dripsInto(port: number, key: string): SocketCrowd {
  const head = `Host: localhost\r\nX-Service-Auth: ${key}\r\nContent-Length: 900000000`;
  return new SocketCrowd({
    port,
    clients: DRIPPING,
    requestOf: (number) =>
      `POST /Api/LoadTests/drip-${number}/Results?file=drip.csv HTTP/1.1\r\n${head}\r\n\r\n${fileOf(0)}`,
    prepare: (socket) => void socket.resume(),
    act: (socket) => void socket.write("1"),
    everyMs: DRIP_EACH_MS,
  });
}
