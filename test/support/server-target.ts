import { openRemoteTarget, type RemoteTarget } from "../../src/remote/remote-target.ts";
import { ServerCalls } from "../../src/remote/server-calls.ts";
import type { TestServer } from "./test-server.ts";

/** Opens a server as imports write to it, without retries. The answer to a call that `isLost` never comes. */
export async function openServerTarget(
  world: TestServer,
  isLost: (path: string) => boolean = () => false,
): Promise<RemoteTarget> {
  const calls = new ServerCalls({
    url: "http://server",
    key: await world.makeKey("write"),
    async fetch(url, { method = "GET", headers, body } = {}) {
      const path = (url as string).replace("http://server", "");
      const { statusCode, payload } = await world.server.inject({
        method: method as "GET",
        url: path,
        headers: headers as Record<string, string>,
        ...(body === undefined ? {} : { payload: Buffer.from(body as Uint8Array<ArrayBuffer>) }),
      });
      if (isLost(path)) throw new Error("the connection broke");
      return new Response(statusCode === 204 ? null : payload, { status: statusCode });
    },
    wait: () => Promise.reject(new Error("nothing should have to wait")),
    clockMs: () => 0,
    random: () => 1,
    patienceMs: () => 0,
    warn: () => undefined,
  });
  return openRemoteTarget(calls);
}
