import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type JsonPart, JsonText, JsonTextError } from "./json-text.ts";

const encoder = new TextEncoder();

/** More than is parsed whole. */
const BLANKS = " \n".repeat(40_000);

const textsOf = (value: unknown): readonly string[] => {
  const text = JSON.stringify(value);
  // Blanks at the beginning of a list or an object make it one whose parts are looked for.
  return [text, JSON.stringify(value, null, 2), text.replace(/^[[{]/, (open) => open + BLANKS)];
};

function listIn(json: JsonText, part: JsonPart | undefined): unknown[] {
  return Array.from(json.elements(part), (each) => json.value(each));
}

const shortName = fc.stringMatching(/^[a-z]{1,3}$/);
// JSON has no negative 0.
const value = fc.jsonValue().map((each): unknown => JSON.parse(JSON.stringify(each)));
const object = fc.dictionary(shortName, value, { maxKeys: 5 });

test("members and elements are those of JSON.parse, whether small or large", () => {
  fc.assert(
    fc.property(fc.array(object, { maxLength: 4 }), object, (list, other) => {
      for (const body of textsOf({ ...other, wanted: list })) {
        const json = new JsonText(encoder.encode(body));
        expect(listIn(json, json.root("wanted"))).toEqual(list);
        expect(json.root("not wanted")).toBeUndefined();
      }
      for (const listed of textsOf(list)) {
        const json = new JsonText(encoder.encode(`{"a":1,"wanted":${listed}${BLANKS}}`));
        const parts = [...json.elements(json.root("wanted"))];
        expect(parts.map((part) => json.value(part))).toEqual(list);
        for (const [index, part] of parts.entries()) {
          const names = Object.keys(list[index] ?? {});
          const got = json.members(part, names).map((each) => json.value(each));
          expect(got).toEqual(names.map((name) => list[index]?.[name]));
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("of names that repeat the last one counts", () => {
  for (const blanks of ["", BLANKS]) {
    const json = new JsonText(encoder.encode(`{"a":[1],${blanks}"b":0,"a":[2, 3]}`));
    expect(listIn(json, json.root("a"))).toEqual([2, 3]);
  }
});

test("a text that ends early, or goes on, is no JSON", () => {
  const body = `{"a":[{"b":"\\"]"},{"c":[1,{}]}]${BLANKS},"d":"x"}`;
  fc.assert(
    fc.property(fc.integer({ min: 0, max: body.length - 1 }), (length) => {
      const json = new JsonText(encoder.encode(body.slice(0, length)));
      expect(() => listIn(json, json.root("a"))).toThrow(JsonTextError);
    }),
    { examples: [...Array(32).keys(), body.length - 1].map((length) => [length]) },
  );
  for (const rest of ["}", ",", "x", "{}"]) {
    const json = new JsonText(encoder.encode(body + rest));
    expect(() => json.root("a")).toThrow(JsonTextError);
  }
});
