import * as fc from "fast-check";
import { TIME } from "../../api/parts.ts";
import { expect, test } from "vitest";
import { HttpError } from "../response/http-error.ts";
import { type JsonSchema, list, object, optional } from "../../api/schema.ts";
import { type Members, readJsonBody } from "./json-body.ts";

const SCHEMA = object({
  name: { type: "string" },
  pinned: optional({ type: "boolean" }),
  tags: optional(list({ type: "string" })),
});

/** Bodies that are often nearly valid. */
const anyBody = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(fc.constantFrom("name", "pinned", "tags", "__proto__", "other"), fc.jsonValue()),
  fc.record(
    {
      name: fc.oneof(fc.string(), fc.integer()),
      pinned: fc.oneof(fc.boolean(), fc.constant("true")),
      tags: fc.array(fc.oneof({ weight: 9, arbitrary: fc.string() }, fc.constant(null))),
    },
    { requiredKeys: [] },
  ),
);

test("for any body, members have their types or the body is rejected", () => {
  const outcomes = new Set<string>();
  const property = fc.property(anyBody, (body) => {
    const outcome = outcomeOf(body);
    outcomes.add(outcome);
    expect(["read", "bad-body", "bad-parameter"]).toContain(outcome);
  });
  fc.assert(property, { numRuns: 1000 });
  expect(outcomes.size).toBe(3);
});

function outcomeOf(body: unknown): string {
  try {
    const members = readJsonBody(Buffer.from(JSON.stringify(body)), SCHEMA);
    return isAsDefined(members) ? "read" : "wrong";
  } catch (error) {
    return error instanceof HttpError ? error.code : "thrown";
  }
}

function isAsDefined({ name, pinned = false, tags = [], ...others }: Members): boolean {
  return (
    typeof name === "string" &&
    typeof pinned === "boolean" &&
    (tags as unknown[]).every((tag) => typeof tag === "string") &&
    Object.keys(others).length === 0
  );
}

const LIMITED = object({
  days: optional({ type: "integer", minimum: 1, maximum: 9 }),
  colours: optional(list({ type: "string", enum: ["red", "blue"] })),
  at: optional(TIME),
});

const WANT_TIME = "at: expected a time with its zone, such as 2026-11-21T03:43:30Z, got";

test.each([
  [{ days: 1, colours: ["red", "blue", "red"] }, []],
  [{ days: 9, colours: [] }, []],
  [{ days: 0 }, ["days: expected a whole number from 1 to 9, got 0"]],
  [{ days: 10 }, ["days: expected a whole number from 1 to 9, got 10"]],
  [{ colours: ["red", "green"] }, ['colours[1]: expected one of red, blue, got "green"']],
  [{ at: "2026-11-21T03:43Z" }, []],
  [{ at: "2026-11-21t03:43:30.123+01:00" }, []],
  [{ at: "2026-11-21T03:43:30+0000" }, []],
  [{ at: "2026-11-21T03:43:30" }, [`${WANT_TIME} "2026-11-21T03:43:30"`]],
  [{ at: "2026-11-31T25:43:30Z" }, [`${WANT_TIME} "2026-11-31T25:43:30Z"`]],
  [{ at: "5" }, [`${WANT_TIME} "5"`]],
  [{ at: 5 }, [`${WANT_TIME} 5`]],
])("numbers, words and times of %j must be within their limits", (body, complaints) => {
  const found = complaintsOf(JSON.stringify(body), LIMITED);
  expect(found).toEqual(complaints);
});

function complaintsOf(body: string, schema: JsonSchema): readonly string[] {
  try {
    readJsonBody(Buffer.from(body), schema);
    return [];
  } catch (error) {
    return (error as HttpError).complaints.map(({ detail }) => detail);
  }
}

test("each invalid and each unknown member is named", () => {
  const refused = new Map<string, string>();
  try {
    readJsonBody(Buffer.from('{"pinned":1,"tags":"a","x\\u0000":2}'), SCHEMA);
  } catch (error) {
    for (const { parameter, detail } of (error as HttpError).complaints) {
      refused.set(parameter, detail);
    }
  }
  expect([...refused]).toEqual([
    ["name", "name is required"],
    ["pinned", "pinned: expected true or false, got 1"],
    ["tags", 'tags: expected an array, got "a"'],
    ["x\u0000", 'no member is called "x\\u0000": expected name, pinned, tags'],
  ]);
});
