import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type OtlpForm, readTraces } from "./read-body.ts";
import { secondOfNanos, type Span } from "./span.ts";
import { detailsOfSpan } from "./span-requests.ts";
import { recording } from "../../../test/support/recording.ts";

function linesOf(name: string): readonly string[] {
  const text = recording(`otlp/${name}`).toString();
  return text.trim().split("\n");
}

/** Some that are read anyway, and values that are texts, integers and fractions. */
const ASKED = ["http.method", "http.response.status_code", "request.duration", "vu.uuid"];

const noSpan = () => ({});
const noIds = () => ({ traceId: "", spanId: "", parentId: "" });

function spansOf(body: Uint8Array, form: OtlpForm): readonly Span[] {
  const spans: Span[] = [];
  let scope = "";
  const sink = {
    asked: ASKED,
    begin: (service: string, name: string) => void (scope = `${service} ${name}`),
    refuse: () => expect.unreachable(),
    take: (span: Span) => {
      const details = JSON.stringify(detailsOfSpan(span.whole()));
      const message = `${scope} ${span.message} ${details} ${JSON.stringify(span.ids())}`;
      spans.push({ ...span, url: "", message, whole: noSpan, ids: noIds });
    },
  };
  for (const _ of readTraces(body, form, sink));
  return spans;
}

/** The JSON was written by Google's library for Python. */
test("spans are those that another program reads", () => {
  const bodies = ["gen-locust-2.47.0", "gen-artillery-2.0.34"].flatMap((name) =>
    linesOf(`${name}.capture.ndjson.gz`)
      .map((line) => JSON.parse(line) as Record<"path" | "body", string>)
      .filter(({ path: to }) => to === "/v1/traces")
      .map(({ body }) => Buffer.from(body, "base64")),
  );
  const asJson = linesOf("gen-traces-as-json.ndjson.gz").map((line) => Buffer.from(line));
  expect(bodies.length).toBe(asJson.length);
  const all: Span[] = [];
  for (const [index, body] of bodies.entries()) {
    const spans = spansOf(body, "protobuf");
    expect(spans.length).toBeGreaterThan(40);
    expect(spans).toEqual(spansOf(asJson[index] as Buffer, "json"));
    all.push(...spans);
  }
  const asked = all.flatMap((span) => span.asked.map(([name]) => name));
  for (const name of ASKED)
    expect(asked.filter((each) => each === name).length).toBeGreaterThan(100);
});

test("the second of nanoseconds is exact", () => {
  const nanos = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
  const atSecond = fc
    .tuple(fc.bigInt({ min: 1n, max: 2n ** 32n + 5n }), fc.bigInt({ min: -2n, max: 2n }))
    .map(([second, beside]) => second * 1_000_000_000n + beside);
  fc.assert(
    fc.property(fc.oneof(nanos, atSecond), (given) => {
      const second = given / 1_000_000_000n;
      const want = second < 2n ** 32n ? Number(second) : undefined;
      const [low, high] = [given & 0xffff_ffffn, given >> 32n].map(Number);
      expect(secondOfNanos(low as number, high as number)).toBe(want);
    }),
  );
});

test.each([
  ["a length beyond the end", Uint8Array.of(0x0a, 0x05, 0x01), "a field ends beyond its message"],
  ["a number without an end", Uint8Array.of(0x0a, 0xff), "a number ends early"],
  ["too long a number", Uint8Array.of(0x10, ...Array<number>(11).fill(0xff)), "10 bytes"],
  ["the field 0", Uint8Array.of(0x00), "the number 0"],
  ["a wire type of groups", Uint8Array.of(0x0b), "another type"],
])("%s is not OTLP", (_, body, reason) => {
  expect(() => spansOf(body, "protobuf")).toThrow(reason);
});
