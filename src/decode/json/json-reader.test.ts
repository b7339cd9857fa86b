import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ByteWindow } from "../bytes/byte-window.ts";
import { JSON_TEXT_BYTES_MAX, JsonReader, type JsonHandler } from "./json-reader.ts";

const pieceSizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 5 });

test("reads any value as JSON.parse does, with any chunk size", () => {
  const spacing = fc.constantFrom(undefined, 1, "\t");
  fc.assert(
    fc.property(fc.jsonValue(), spacing, pieceSizes, (value, indent, sizes) => {
      const text = JSON.stringify(value, undefined, indent);
      expect(readValue(text, sizes)).toEqual({ value: JSON.parse(text), truncatedAt: undefined });
    }),
  );
});

test("accepts exactly the texts that JSON.parse accepts", () => {
  const piece = fc.constantFrom(...'{}[]:,"\\ \n\t01-+.eEtruefalsn/bux\u00e9\u0001'.split(""));
  const anyText = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(""));
  const almostJson = fc
    .tuple(fc.jsonValue(), fc.nat(), fc.nat(3), anyText)
    .map(([value, at, removed, added]) => {
      const text = JSON.stringify(value);
      const from = at % (text.length + 1);
      return text.slice(0, from) + added + text.slice(from + removed);
    })
    .map((text) => text.toWellFormed());
  fc.assert(
    fc.property(fc.oneof(anyText, almostJson), pieceSizes, (text, sizes) => {
      expect(readValue(text, sizes).truncatedAt === undefined).toBe(isJson(text));
    }),
    { numRuns: 1000 },
  );
});

test("the error message does not depend on the chunk size", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.nat(), fc.string(), pieceSizes, (value, at, added, sizes) => {
      const text = JSON.stringify(value, undefined, 1);
      const from = at % (text.length + 1);
      const broken = (text.slice(0, from) + added + text.slice(from)).toWellFormed();
      expect(readValue(broken, sizes)).toEqual(readValue(broken, [broken.length + 1]));
    }),
  );
});

test("ignored contents are skipped, and the next ones are read", () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), pieceSizes, (first, second, sizes) => {
      const text = JSON.stringify({ unwanted: { first }, second });
      const { value, truncatedAt } = readValue(text, sizes, (key) => key !== "unwanted");
      expect({ value, truncatedAt }).toEqual({
        value: JSON.parse(JSON.stringify({ second })),
        truncatedAt: undefined,
      });
    }),
  );
});

test.each([1, 7, 1000, JSON_TEXT_BYTES_MAX + 1, 10 * JSON_TEXT_BYTES_MAX])(
  "only the beginning of an overlong string is kept, in chunks of %i bytes",
  (size) => {
    const long = 'é\\"'.repeat(JSON_TEXT_BYTES_MAX);
    const { value } = readValue(`[${JSON.stringify(long)}, 5]`, [size]);
    const [beginning, behind] = value as [string, number];
    expect({ start: beginning.slice(0, 5), length: beginning.length < 4096, behind }).toEqual({
      start: 'é\\\\\\"',
      length: true,
      behind: 5,
    });
  },
);

describe("the position of a syntax error", () => {
  test.each([
    ["", 1, 0, "the source ends inside the JSON document: want a value"],
    ['{"a":\n 1', 2, 8, "the source ends inside the JSON document: want a comma"],
    ['{"a":\n ["x', 2, 8, "the source ends inside the JSON document: want a value or ]"],
    ['{"a"\n= 1}', 2, 5, 'this is not valid JSON: got "=", want a colon'],
    ["[1,\n tru]", 2, 5, 'this is not valid JSON: got "tru", want a value'],
    ['["a\nb"]', 1, 3, 'got "\\n", want no control character in a string'],
    ["[] []", 1, 3, 'got "[", want nothing after the end of the document'],
    ["[".repeat(513), 1, 512, "objects and arrays nested more than 512 deep"],
  ])("%j", (text, line, byte, reason) => {
    expect(readValue(text, [3]).truncatedAt).toEqual({
      line,
      byte,
      reason: expect.stringContaining(reason),
    });
  });
});

/** Reads a document in chunks and builds the value from the handler calls. */
function readValue(text: string, sizes: readonly number[], isWanted = (_key: string) => true) {
  const window = new ByteWindow();
  const root: unknown[] = [];
  const open: (unknown[] | Record<string, unknown>)[] = [root];
  const put = (key: string, value: unknown) => {
    const container = open.at(-1);
    if (Array.isArray(container)) container.push(value);
    else Object.defineProperty(container, key, propertyOf(value));
  };
  const handler: JsonHandler = {
    enter(key, isArray) {
      if (!isWanted(key)) return false;
      const container = isArray ? [] : {};
      put(key, container);
      open.push(container);
      return true;
    },
    leave: () => void open.pop(),
    scalar: (key, kind, written) => put(key, kind === "string" ? written : JSON.parse(written)),
  };
  const reader = new JsonReader(window, handler);
  const bytes = new TextEncoder().encode(text);
  for (let at = 0, piece = 0; at < bytes.length; piece++) {
    const size = sizes[piece % sizes.length] as number;
    window.append(bytes.slice(at, at + size));
    reader.read();
    at += size;
  }
  const truncatedAt = reader.end();
  return { value: root[0], truncatedAt };
}

/** Returns a descriptor that also works for `__proto__`. */
function propertyOf(value: unknown): PropertyDescriptor {
  return { value, configurable: true, enumerable: true, writable: true };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
