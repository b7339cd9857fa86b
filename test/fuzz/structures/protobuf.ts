import { bytes, snappyBlock } from "../../support/remote-write.ts";
import { RawNumber, type Structure } from "./structure.ts";

/** A field of a message; `value` by its wire type: a whole number, 8 or 4 bytes, or bytes or the fields of a message. */
interface Field {
  readonly field: bigint;
  readonly wire: bigint;
  readonly value: unknown;
}

/** Deeper messages stay bytes. */
const DEPTH_MAX = 12;

/** A message of Protocol Buffers, read without its definition: what can be a message within it is one. */
export const protobuf: Structure = {
  decode: (input) => fieldsIn(Buffer.from(input), 0),
  encode: encoded,
};

/** The same as one block of Snappy. */
export const snappyProtobuf: Structure = {
  decode(input) {
    const plain = plainOf(Buffer.from(input));
    return plain && fieldsIn(plain, 0);
  },
  encode: (value) => snappyBlock(encoded(value)),
};

function fieldsIn(message: Buffer, depth: number): readonly Field[] | undefined {
  const fields: Field[] = [];
  const at = { value: 0 };
  while (at.value < message.length) {
    const tag = varintAt(message, at);
    if (tag === undefined || tag < 8n) return undefined;
    const [field, wire] = [tag / 8n, tag % 8n];
    const value = valueAt(message, at, Number(wire), depth);
    if (value === undefined) return undefined;
    fields.push({ field, wire, value });
  }
  return fields;
}

function valueAt(message: Buffer, at: { value: number }, wire: number, depth: number): unknown {
  if (wire === 0) return varintAt(message, at);
  const length = wire === 1 ? 8n : wire === 5 ? 4n : wire === 2 ? varintAt(message, at) : undefined;
  if (length === undefined || length > message.length - at.value) return undefined;
  const value = message.subarray(at.value, at.value + Number(length));
  at.value += value.length;
  const inner =
    wire === 2 && value.length > 0 && depth < DEPTH_MAX ? fieldsIn(value, depth + 1) : undefined;
  return inner ?? Uint8Array.from(value);
}

function varintAt(message: Buffer, at: { value: number }): bigint | undefined {
  let value = 0n;
  for (let shift = 0n; shift < 70n; shift += 7n) {
    const byte = message[at.value++];
    if (byte === undefined) return undefined;
    value |= BigInt(byte % 0x80) << shift;
    if (byte < 0x80) return BigInt.asUintN(64, value);
  }
  return undefined;
}

function encoded(value: unknown): Buffer {
  if (Array.isArray(value)) return Buffer.concat(value.map(encodedField));
  if (value instanceof Uint8Array) return Buffer.from(value);
  return Buffer.from(value instanceof RawNumber ? value.text : String(value));
}

/** A value of another kind than its wire type is written by its kind. */
function encodedField(given: unknown): Buffer {
  const { field, wire, value } = (given ?? {}) as Partial<Field>;
  const number = BigInt.asUintN(29, wholeOf(field) ?? 1n);
  const whole = wholeOf(value);
  if (whole !== undefined) return Buffer.concat([varint(number * 8n), varint(whole)]);
  if (value instanceof Uint8Array && (wire === 1n || wire === 5n)) {
    return Buffer.concat([varint(number * 8n + wire), value]);
  }
  return bytes(Number(number), encoded(value));
}

function wholeOf(value: unknown): bigint | undefined {
  if (typeof value === "bigint") return value;
  const isWhole = value instanceof RawNumber && /^-?\d+$/.test(value.text);
  return isWhole ? BigInt.asUintN(64, BigInt(value.text)) : undefined;
}

function varint(value: bigint): Buffer {
  const digits: number[] = [];
  let rest = value;
  for (; rest >= 0x80n; rest >>= 7n) digits.push(Number(rest % 0x80n) + 0x80);
  return Buffer.from([...digits, Number(rest)]);
}

const PLAIN_MAX = 1024 * 1024;

/** google/snappy, format_description.txt. */
function plainOf(block: Buffer): Buffer | undefined {
  const at = { value: 0 };
  if (varintAt(block, at) === undefined) return undefined;
  let plain: Buffer | undefined = Buffer.alloc(0);
  while (plain !== undefined && at.value < block.length && plain.length < PLAIN_MAX) {
    plain = withElement(plain, block, at);
  }
  return plain;
}

/** With the literal or copy at `at`; `undefined` if it is none. */
function withElement(plain: Buffer, block: Buffer, at: { value: number }): Buffer | undefined {
  const tag = block[at.value++] as number;
  const [kind, rest] = [tag % 4, tag >> 2];
  const extra = [Math.max(0, rest - 59), 1, 2, 4][kind] as number;
  if (at.value + extra > block.length) return undefined;
  const more = extra === 0 ? rest : block.readUIntLE(at.value, extra);
  at.value += extra;
  if (kind === 0) {
    const literal = block.subarray(at.value, at.value + 1 + more);
    at.value += 1 + more;
    return Buffer.concat([plain, literal]);
  }
  const length = kind === 1 ? 4 + (rest % 8) : rest + 1;
  const back = kind === 1 ? (rest >> 3) * 256 + more : more;
  if (back === 0 || back > plain.length) return undefined;
  const copied = plain.subarray(plain.length - back);
  const copies = Array.from({ length: Math.ceil(length / back) }, () => copied);
  return Buffer.concat([plain, Buffer.concat(copies).subarray(0, length)]);
}
