import { expect, test } from "vitest";
import { parseSearch, quotedWord } from "./search.ts";

const any = (text: string) => ({ kind: "text", field: "any", text });
const limit = (figure: string, operator: string, bound: number) => ({
  kind: "figure",
  figure,
  operator,
  bound,
});

test.each([
  ["", []],
  ["checkout  night", [any("checkout"), any("night")]],
  ['"Checkout, 50 users"', [any("Checkout, 50 users")]],
  [
    'name:"a b" TAG:x',
    [
      { kind: "text", field: "name", text: "a b" },
      { kind: "text", field: "tag", text: "x" },
    ],
  ],
  [
    "env:staging tool:k6",
    [
      { kind: "text", field: "env", text: "staging" },
      { kind: "text", field: "tool", text: "k6" },
    ],
  ],
  [
    "commit:ab12 any:x",
    [
      { kind: "property", key: "commit", text: "ab12" },
      { kind: "property", key: "any", text: "x" },
    ],
  ],
  ["__proto__:x", [{ kind: "property", key: "__proto__", text: "x" }]],
  [
    "failed:yes pinned:NO",
    [
      { kind: "flag", flag: "failed", is: true },
      { kind: "flag", flag: "pinned", is: false },
    ],
  ],
  ["p95>500ms P99<=1.5s", [limit("p95", ">", 0.5), limit("p99", "<=", 1.5)]],
  [
    "errors>=1% requests<2k duration>5m",
    [limit("errors", ">=", 0.01), limit("requests", "<", 2000), limit("duration", ">", 300)],
  ],
  // 35 times 0.01 is 0.35000000000000003, and nine times 0.001 more than 0.009.
  ["errors>=35% p95<=9ms", [limit("errors", ">=", 0.35), limit("p95", "<=", 0.009)]],
  // Words that only look like more.
  ['p951>5 x: :y a>b "', [any("p951>5"), any("x:"), any(":y"), any("a>b"), any("")]],
])("%j is %j", (search, terms) => {
  expect(parseSearch(search)).toEqual(terms);
});

test.each([
  ["p95>abc", 'search: expected a time such as 500ms after p95>, got "abc"'],
  ["p95>500", 'search: expected a time such as 500ms after p95>, got "500"'],
  ["errors>1", 'search: expected a share such as 1% after errors>, got "1"'],
  [`p95<${"9".repeat(400)}s`, "search: expected a time such as 500ms after p95<, got"],
  ["failed:maybe", 'search: expected failed:yes or failed:no, got "maybe"'],
  ["pinned:constructor", 'search: expected pinned:yes or pinned:no, got "constructor"'],
  [Array.from({ length: 21 }, () => "x").join(" "), "search: expected at most 20 terms, got 21"],
])("%j is refused", (search, message) => {
  expect(() => parseSearch(search)).toThrow(message);
});

test.each(['a "b" \\c', "p95>500ms", "failed:yes", " blanks ", "\\"])(
  "%j in quotes is one text",
  (text) => {
    expect(parseSearch(quotedWord(text))).toEqual([any(text)]);
  },
);
