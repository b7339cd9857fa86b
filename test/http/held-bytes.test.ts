/**
 * Bodies held in memory until they are stored: their size is limited, and receiving one takes no slot.
 */

import { once } from "node:events";
import type { Socket } from "node:net";
import { afterEach, expect, test } from "vitest";
import type { HttpSettings } from "../../src/http/settings.ts";
import { exchange, open, parseAnswers } from "../support/raw-http.ts";
import { HOST, lines, listenRaw, type RawWorld } from "./raw-world.ts";

let world: RawWorld;
let key = "";
const senders: Socket[] = [];

afterEach(async () => {
  for (const sender of senders.splice(0)) sender.destroy();
  await world.server.close();
});

async function listen(settings: Partial<HttpSettings>): Promise<void> {
  world = await listenRaw({ settings });
  key = await world.makeKey("write");
}

const LINE = "http_req_duration,name=a,status=200 value=5 1700000000000000000\n";

function write(body: string, length = body.length): string {
  const headers = [HOST, `X-Service-Auth: ${key}`, `Content-Length: ${length}`];
  return lines("POST /write?db=live HTTP/1.1", ...headers) + body;
}

/** A sender that begins a body and stalls; resolves when the server waits for the rest. */
async function beginWriting(body: string, length: number): Promise<void> {
  const sender = await open(world.port);
  sender.on("error", () => undefined);
  senders.push(sender);
  const expecting = write("", length).replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n");
  sender.write(expecting);
  await once(sender, "data");
  await new Promise<void>((resolve) => sender.write(body, () => resolve()));
}

test("a slow sender takes no slot from others", async () => {
  await listen({ writesMax: 1 });
  await beginWriting(LINE, 1000);
  await beginWriting(LINE, 1000);
  const [answer] = parseAnswers(await exchange(world.port, write(LINE)));
  expect(answer?.status).toBe(204);
});

test("bodies over the memory limit get a retryable error that names the limit", async () => {
  await listen({ heldBytesMax: 100 });
  await beginWriting(LINE, 1000);
  const [refused] = parseAnswers(await exchange(world.port, write(LINE)));
  expect([refused?.status, refused?.headers.get("retry-after")]).toEqual([503, "1"]);
  expect(refused?.body.toString()).toContain("heldBytesMax");
});

test("a body larger than the memory limit is too large and is not stored", async () => {
  await listen({ heldBytesMax: 100 });
  for (let times = 0; times < 2; times++) {
    const [refused] = parseAnswers(await exchange(world.port, write(LINE + LINE)));
    expect(refused?.status).toBe(413);
    expect(refused?.body.toString()).toContain("at most 100 (heldBytesMax) bytes");
    expect(parseAnswers(await exchange(world.port, write(LINE)))[0]?.status).toBe(204);
  }
});
