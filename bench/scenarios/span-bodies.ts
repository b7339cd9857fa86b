/**
 * The spans of a load tool in an OTLP body of Protocol Buffers, again and again with other ids and a later time. Fields:
 * https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
 */

import { seededRandom } from "../seeded-random.ts";

const SPANS = 2000;
const ENDPOINTS = 100;
const FIRST_NANOS = 1_795_232_665_000_000_000n;
const NANOS_PER_SECOND = 1_000_000_000n;
const NANOS_PER_MILLI = 1_000_000;
const CLIENT = 3;

/** Of a span: its id, and behind it start and end with a byte before each. */
const [START_AT, END_AT] = [9, 18];

export interface SpanBody {
  readonly bytes: Buffer;
  readonly spans: number;
  /** Moves the spans by this many seconds, and gives them new ids. */
  readonly delay: (seconds: number) => void;
}

/** The body that the sender of this number, at most 255, repeats. */
export function spanBody(sender: number): SpanBody {
  const random = seededRandom(sender + 1);
  const times = Array.from({ length: SPANS }, () => {
    const start = FIRST_NANOS + BigInt(Math.floor(random() * Number(NANOS_PER_SECOND)));
    return { start, end: start + BigInt(Math.floor((8 + 2000 * random() ** 6) * NANOS_PER_MILLI)) };
  });
  const spans = times.map((_, index) => {
    const url = `http://shop.example/items/${Math.floor(random() ** 2 * ENDPOINTS)}`;
    const code = random() < 0.01 ? 500 : 200;
    const identity = [field(1, Buffer.alloc(16, sender + 1)), field(2, idOf(sender, index))];
    const about = [fixed64(7), fixed64(8), field(5, Buffer.from("GET")), Buffer.of(6 << 3, CLIENT)];
    const attributes = [text("http.method", "GET"), text("http.url", url), status(code)];
    return field(2, [identity, about, attributes].flat());
  });
  const resource = field(1, [attribute(1, "service.name", field(1, Buffer.from("locust")))]);
  const bytes = field(1, [resource, field(2, spans)]);
  const places = times.map((_, index) => bytes.indexOf(idOf(sender, index)));
  return {
    bytes,
    spans: SPANS,
    delay(seconds) {
      for (const [index, at] of places.entries()) {
        const { start = 0n, end = 0n } = times[index] ?? {};
        const later = BigInt(seconds) * NANOS_PER_SECOND;
        bytes.writeUInt32BE(seconds, at);
        bytes.writeBigUInt64LE(start + later, at + START_AT);
        bytes.writeBigUInt64LE(end + later, at + END_AT);
      }
    },
  };
}

/** Marked, so that it is found in the body. */
function idOf(sender: number, index: number): Buffer {
  return Buffer.of(0xfe, 0xff, 0xff, 0xfe, 0xff, sender, index >> 8, index & 255);
}

function text(name: string, value: string): Buffer {
  return attribute(9, name, field(1, Buffer.from(value)));
}

function status(code: number): Buffer {
  return attribute(9, "http.status_code", Buffer.of((3 << 3) | 0, ...varint(code)));
}

function attribute(number: number, name: string, value: Buffer): Buffer {
  return field(number, [field(1, Buffer.from(name)), field(2, value)]);
}

function fixed64(number: number): Buffer {
  return Buffer.concat([Buffer.of((number << 3) | 1), Buffer.alloc(8)]);
}

function field(number: number, value: Buffer | readonly Buffer[]): Buffer {
  const bytes = Buffer.concat([value].flat());
  return Buffer.concat([Buffer.of((number << 3) | 2, ...varint(bytes.length)), bytes]);
}

function varint(value: number): readonly number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...varint(value >>> 7)];
}
