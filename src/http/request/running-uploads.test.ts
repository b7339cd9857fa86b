import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, expect, test } from "vitest";
import { createTestServer } from "../../../test/support/test-server.ts";
import type { ImportReport } from "../../model/import-report.ts";
import { RunningUploads } from "./running-uploads.ts";

const world = await createTestServer();
afterAll(() => world.server.close());
const key = await world.makeKey("write");
const address = await world.server.listen();
const PATH = `${address.replace(/\/$/, "")}/Api/LoadTests/stopped/Results`;
const HEADER = "timeStamp,elapsed,label,responseCode,responseMessage,success\n";
const headers = { "x-service-auth": key };

interface Uploads {
  readonly uploads: readonly { readonly file: string; readonly receivedBytes: number }[];
}

async function uploads(): Promise<Uploads["uploads"]> {
  const response = await fetch(PATH, { headers });
  return ((await response.json()) as Uploads).uploads;
}

test("stopping a running upload keeps the received rows and does not wait for the rest", async () => {
  const sent = `${HEADER}1700000000000,5,a,200,OK,true\n1700000001000,7,a,200,OK,tr`;
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const request = new AbortController();
  const body = { body: readable, duplex: "half", signal: request.signal } as RequestInit;
  const upload = fetch(`${PATH}?file=long.jtl`, { method: "POST", headers, ...body });
  // The caller that stops the upload ignores the outcome of the request.
  upload.catch(() => undefined);
  await writer.write(Buffer.from(sent));
  await expect.poll(uploads).toMatchObject([{ file: "long.jtl", receivedBytes: sent.length }]);
  const answer = await fetch(`${PATH}/Stop`, { method: "POST", headers });
  expect(await answer.json()).toMatchObject({
    reports: [
      {
        source: "long.jtl",
        // The last row could look complete: "tr" is not "true".
        samples: { read: 1, recorded: 1, rejected: 0 },
        notes: expect.arrayContaining([expect.stringContaining("stopped while it was received")]),
        alreadyImported: false,
      },
    ],
  });
  expect(await uploads()).toEqual([]);
  expect(await world.store.loadTests.find("stopped")).toMatchObject({ requests: 1 });
  request.abort();
});

test("without a running upload, there is nothing to stop", async () => {
  const answer = await fetch(`${PATH}/Stop`, { method: "POST", headers });
  expect([answer.status, await answer.json()]).toEqual([200, { reports: [] }]);
});

test("chunks already read are released while the rest is awaited", async () => {
  setFlagsFromString("--expose-gc");
  const collectGarbage = runInNewContext("gc") as () => void;
  const given: WeakRef<Uint8Array>[] = [];
  let heldChunks = NaN;
  async function* body(): AsyncGenerator<Uint8Array> {
    for (let count = 0; count < 50; count++) {
      const chunk = new Uint8Array(1024);
      given.push(new WeakRef(chunk));
      yield chunk;
      // A new WeakRef keeps its target alive until the event loop turns.
      await setImmediate();
    }
    collectGarbage();
    heldChunks = given.filter((chunk) => chunk.deref() !== undefined).length;
  }
  const about = { loadTestId: "large", file: "large.jtl", sizeBytes: undefined, body: body() };
  await new RunningUploads().run(about, async ({ chunks }) => {
    for await (const _ of chunks);
    return {} as ImportReport;
  });
  expect(heldChunks).toBeLessThan(5);
});
