/** The client's operations are those that the service describes. */

import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, expect, test } from "vitest";
import { createTestServer } from "../support/test-server.ts";
import { type ApiDocument, operationsText } from "./operations-text.ts";
import { type Schema, typeText } from "./type-text.ts";

const { server } = await createTestServer();
afterAll(() => server.close());

test("the client knows the operations as the service describes them (npm run client)", async () => {
  const document: ApiDocument = (await server.app.inject("/openapi.json")).json();
  const file = path.join(import.meta.dirname, "../../src/client/operations.ts");
  expect(readFileSync(file, "utf8")).toBe(operationsText(document));
});

test.each<[string, Schema, string]>([
  ["text", { type: "string", pattern: "^a" }, "string"],
  ["a number or nothing", { type: ["integer", "null"], minimum: 0 }, "number | null"],
  ["some words", { type: "string", enum: ["a", "b"] }, `"a" | "b"`],
  ["anything", {}, "unknown"],
  ["a list", { type: "array", items: { type: "boolean" } }, "ReadonlyArray<boolean>"],
  ["a pair", pair(false), "readonly [number, string]"],
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
  expect(typeText(schema)).toBe(text);
});

function pair(items: unknown): Schema {
  return { type: "array", prefixItems: [{ type: "integer" }, { type: "string" }], items };
}

test.each([
  ["a keyword", { allOf: [] }, "allOf"],
  ["a type", { type: "date" }, "date"],
])("%s that is not known is an error, not a guess", (_, schema, name) => {
  expect(() => typeText(schema)).toThrow(name);
});
