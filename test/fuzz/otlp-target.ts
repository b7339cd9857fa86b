import { createTestServer, type TestServer } from "../support/test-server.ts";
import { json } from "./structures/json.ts";
import { protobuf, snappyProtobuf } from "./structures/protobuf.ts";
import type { Structure } from "./structures/structure.ts";
import type { FuzzTarget } from "./target.ts";

interface World extends Pick<TestServer, "server" | "logged"> {
  readonly key: string;
}

/** Where a body is sent. */
interface Door {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

const OPENING_BRACE = 0x7b;
const PROTOBUF = "application/x-protobuf";

/** Bodies of OpenTelemetry's protocol, sent to both operations of a server in this process. */
export function createOtlpTarget(): FuzzTarget {
  return createTarget("otlp", jsonOrProtobuf, ([first]) => {
    const type = first === OPENING_BRACE ? "application/json" : PROTOBUF;
    return ["/v1/traces", "/v1/metrics"].map((url) => ({ url, headers: { "content-type": type } }));
  });
}

/** Blocks of Snappy with bodies of remote write, read as both of its versions. */
export function createRemoteWriteTarget(): FuzzTarget {
  return createTarget("remote-write", snappyProtobuf, () =>
    ["prometheus.WriteRequest", "io.prometheus.write.v2.Request"].map((proto) => ({
      url: "/api/v1/write",
      headers: { "content-type": `${PROTOBUF};proto=${proto}`, "content-encoding": "snappy" },
    })),
  );
}

/** A decoded body of JSON is a list, a message of Protocol Buffers is one of fields. */
const jsonOrProtobuf: Structure = {
  decode(input) {
    if (input[0] !== OPENING_BRACE) return protobuf.decode(input);
    const body = json.decode(input);
    return body && { body };
  },
  encode(value) {
    if (Array.isArray(value)) return protobuf.encode(value);
    return json.encode([(value as { readonly body?: unknown }).body].flat());
  },
};

function createTarget(
  name: string,
  structure: Structure,
  doorsOf: (input: Uint8Array) => readonly Door[],
): FuzzTarget {
  let world: Promise<World> | undefined;
  return {
    name,
    structure,
    cost: 3,
    async run(input) {
      world ??= openWorld();
      const { server, logged, key } = await world;
      for (const { url, headers } of doorsOf(input)) {
        const { statusCode, body } = await server.inject({
          method: "POST",
          url,
          headers: { "x-service-auth": key, "x-load-test": "fuzzed", ...headers },
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
