/** The client's operations are those that the service describes. */

import { readFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { OPERATIONS_FILE } from "../../build/client/build.ts";
import { type ApiDocument, operationsText } from "../../build/client/operations-text.ts";
import { type Schema, TypeWriter } from "../../build/client/type-text.ts";
import { createTestServer } from "../support/test-server.ts";

const { server } = await createTestServer();
afterAll(() => server.close());

test("the client was generated from what the service describes (npm run task build:client)", async () => {
  const document: ApiDocument = (await server.inject("/openapi.json")).json();
  expect(readFileSync(OPERATIONS_FILE, "utf8")).toBe(operationsText(document));
});

test.each<[string, Schema, string]>([
  ["text", { type: "string", pattern: "^a" }, "string"],
  ["a number or nothing", { type: ["integer", "null"], minimum: 0 }, "number | null"],
  ["some words", { type: "string", enum: ["a", "b"] }, `"a" | "b"`],
  ["anything", {}, "unknown"],
  ["a list", { type: "array", items: { type: "boolean" } }, "ReadonlyArray<boolean>"],
  ["a pair", { ...pair({}), maxItems: 2 }, "readonly [number, string]"],
  ["a pair and more", pair({ type: "null" }), "readonly [number, string, ...ReadonlyArray<null>]"],
  [
    "values by name",
    { type: "object", additionalProperties: { type: "number" } },
    "Readonly<Record<string, number>>",
  ],
  ["either", { oneOf: [{ const: 1 }, { type: "null" }] }, "1 | null"],
  [
    "an object",
    {
      type: "object",
      required: ["a"],
      properties: { a: { type: "string" }, "b-c": { description: "Said.", type: "number" } },
    },
    `{\n  readonly a: string;\n  /** Said. */\n  readonly "b-c"?: number;\n}`,
  ],
])("a schema of %s is written as its type", (_, schema, text) => {
  expect(new TypeWriter().typeText(schema)).toBe(text);
});

function pair(items: Schema): Schema {
  return { type: "array", prefixItems: [{ type: "integer" }, { type: "string" }], items };
}

test("a schema whose title is the name of a type is written once, and named elsewhere", () => {
  const writer = new TypeWriter();
  const named = { title: "Place", type: "object", properties: { at: { type: "number" } } };
  const list = { type: "array", items: named };
  const text = writer.typeText({ type: "object", properties: { one: named, all: list } });
  expect(text).toBe("{\n  readonly one?: Place;\n  readonly all?: ReadonlyArray<Place>;\n}");
  expect(writer.shapes).toEqual(new Map([["Place", "{\n  readonly at?: number;\n}"]]));
  expect(() => writer.typeText({ ...named, properties: {} })).toThrow("Place names two types");
});

test.each([
  ["a keyword", { allOf: [] }, "allOf"],
  ["a type", { type: "date" }, "date"],
])("%s that is not known is an error, not a guess", (_, schema, name) => {
  expect(() => new TypeWriter().typeText(schema)).toThrow(name);
});
