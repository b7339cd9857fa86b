import { expect, test } from "vitest";
import { openRemoteTarget } from "./remote-target.ts";
import { ServerCalls } from "./server-calls.ts";

/** A target whose server, or something before it, gives this answer. */
function targetBehind(answer: () => Response) {
  const calls = new ServerCalls({
    url: "http://127.0.0.1",
    key: "",
    fetch: async () => answer(),
    wait: async () => {},
    clockMs: () => 0,
    random: () => 0,
    patienceMs: () => 0,
    warn: () => undefined,
  });
  return openRemoteTarget(calls);
}

const SOURCE = {
  loadTestId: "run",
  sourceId: "a",
  name: "a.jtl",
  format: "jmeter-csv",
  sizeBytes: 1,
  digest: "",
  quality: { unrecorded: [], untimedRequests: 0, averagedRequests: 0, windowSeconds: 0 },
} as unknown as Parameters<ReturnType<typeof targetBehind>["points"]["publish"]>[0];

test.each([
  ["empty", () => new Response(null, { status: 204 })],
  ["another one's", () => Response.json({})],
])("an answer that is %s acknowledges nothing", async (_, answer) => {
  const target = targetBehind(answer);
  const batch = new Uint8Array([1]);
  await expect(target.sendPacked("run", batch)).rejects.toMatchObject({ code: "bad-answer" });
  await expect(target.points.publish(SOURCE)).rejects.toMatchObject({ code: "bad-answer" });
});
