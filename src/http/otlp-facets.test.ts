import { afterAll, expect, test } from "vitest";
import { call, connectGrpc, framed, TRACES } from "../../test/support/grpc-client.ts";
import { createTestServer } from "../../test/support/test-server.ts";
import { recording } from "../../test/support/recording.ts";

const world = await createTestServer({ settings: { otlpGrpcPort: 0 } });
const key = await world.makeKey("read", "write");
afterAll(() => world.server.close());

function linesOf(file: string): readonly string[] {
  return recording(`otlp/${file}`).toString().trim().split("\n");
}

interface Span {
  readonly name: string;
  readonly attributes?: readonly { key: string; value: Record<string, string> }[];
}

interface Traces {
  readonly resourceSpans: readonly {
    readonly resource: Required<Pick<Span, "attributes">>;
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

/** Spans of Locust's run that are requests, as Google's library for Python has read them, with their resource's attributes. */
const LOCUST = linesOf("gen-traces-as-json.ndjson.gz")
  .flatMap((line) => (JSON.parse(line) as Traces).resourceSpans)
  .filter(({ resource }) => textOf(resource, "service.name") === "locust")
  .flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ spans }) =>
      spans.map(({ attributes = [] }) => ({
        attributes: [...resource.attributes, ...attributes],
      })),
    ),
  );

function textOf({ attributes = [] }: Pick<Span, "attributes">, name: string): string {
  const value = attributes.find((each) => each.key === name)?.value ?? {};
  return Object.values(value)[0] ?? "";
}

function counted(values: readonly string[]) {
  const counts = Map.groupBy(values, (value) => value);
  return Array.from(counts, ([value, all]) => ({ value, requests: all.length }));
}

const BODIES = linesOf("gen-locust-2.47.0.capture.ndjson.gz")
  .map((line) => JSON.parse(line) as { path: string; contentType: string; body: string })
  .filter(({ path: to }) => to === "/v1/traces")
  .map(({ contentType, body }) => ({ contentType, body: Buffer.from(body, "base64") }));

type Headers = Readonly<Record<string, string>>;

async function sendHttp(run: string, body: Buffer, headers: Headers): Promise<void> {
  const answer = await world.ask("/v1/traces", {
    method: "POST",
    key,
    headers: { "x-load-test": run, ...headers },
    payload: body,
  });
  expect(answer.statusCode).toBe(200);
}

async function facetsOf(run: string): Promise<Readonly<Record<string, unknown>>> {
  const url = `/Api/LoadTests/${run}/Facets`;
  const answer = await world.ask(url, { key });
  const { facets } = answer.json<{ facets: { name: string; values: unknown }[] }>();
  return Object.fromEntries(facets.map(({ name, values }) => [name, values]));
}

const instances = counted(LOCUST.map((span) => textOf(span, "service.instance.id")));

test("requests of Locust's spans have its instance, over HTTP and gRPC", async () => {
  expect(LOCUST.length).toBeGreaterThan(100);
  const session = await connectGrpc((await world.server.grpc?.listen()) ?? "");
  for (const { contentType, body } of BODIES) {
    await sendHttp("http", body, { "content-type": contentType });
    const metadata = { "x-service-auth": key, "x-load-test": "grpc" };
    expect(await call(session, TRACES, framed(body), metadata)).toMatchObject({ code: 0 });
  }
  session.destroy();
  expect(await facetsOf("http")).toEqual({ "service.instance.id": instances });
  expect(await facetsOf("grpc")).toEqual({ "service.instance.id": instances });
});

test("any attribute is a facet if a header names it", async () => {
  const named = { "x-facet": "http.method,host.name", "x-no-facets": "true" };
  for (const { contentType, body } of BODIES) {
    await sendHttp("named", body, { "content-type": contentType, ...named });
  }
  expect(await facetsOf("named")).toEqual({
    "host.name": counted(LOCUST.map((span) => textOf(span, "host.name"))),
    "http.method": counted(LOCUST.map((span) => textOf(span, "http.method"))).toSorted(
      (left, right) => right.requests - left.requests,
    ),
  });
});

test("attributes of a span come before those of its resource", async () => {
  const resource = { "service.name": "k6", scenario: "all", "service.instance.id": "a" };
  const spans: Headers[] = [{ scenario: "browse", group: "Pay / Card" }, { group: "" }];
  const body = {
    resourceSpans: [
      {
        resource: { attributes: attributesOf(resource) },
        scopeSpans: [
          {
            spans: spans.map((attributes, at) => ({
              spanId: `00000000000000a${at}`,
              name: "GET /a",
              kind: 3,
              startTimeUnixNano: "1795690923000000000",
              endTimeUnixNano: "1795690923010000000",
              attributes: attributesOf({
                "http.request.method": "GET",
                "http.response.status_code": "200",
                ...attributes,
              }),
            })),
          },
        ],
      },
    ],
  };
  await sendHttp("own", Buffer.from(JSON.stringify(body)), { "content-type": "application/json" });
  expect(await facetsOf("own")).toEqual({
    group: counted(["(none)", "Pay / Card"]),
    scenario: counted(["all", "browse"]),
    "service.instance.id": [{ value: "a", requests: 2 }],
  });
});

function attributesOf(values: Headers): object[] {
  return Object.entries(values).map(([name, stringValue]) => ({
    key: name,
    value: { stringValue },
  }));
}
