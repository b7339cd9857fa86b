import { createTestServer, type TestServer } from "../support/test-server.ts";
import type { FuzzTarget } from "./target.ts";

interface World extends Pick<TestServer, "server" | "logged"> {
  readonly key: string;
}

const OPENING_BRACE = 0x7b;

/** Bodies of OpenTelemetry's protocol, sent to both operations of a server in this process. */
export function createOtlpTarget(): FuzzTarget {
  let world: Promise<World> | undefined;
  return {
    name: "otlp",
    cost: 3,
    async run(input) {
      world ??= openWorld();
      const { server, logged, key } = await world;
      const isJson = input[0] === OPENING_BRACE;
      for (const url of ["/v1/traces", "/v1/metrics"]) {
        const { statusCode, body } = await server.inject({
          method: "POST",
          url,
          headers: {
            "x-service-auth": key,
            "x-load-test": "fuzzed",
            "content-type": isJson ? "application/json" : "application/x-protobuf",
          },
          payload: Buffer.from(input),
        });
        const fault = logged.find(({ event }) => event === "server_fault");
        if (statusCode >= 500 || fault !== undefined) {
          throw new Error(`${url}: status ${statusCode}: ${JSON.stringify(fault ?? body)}`);
        }
      }
      logged.length = 0;
    },
    async close() {
      await (await world)?.server.close();
    },
  };
}

async function openWorld(): Promise<World> {
  const world = await createTestServer();
  return { server: world.server, logged: world.logged, key: await world.makeKey("write") };
}
