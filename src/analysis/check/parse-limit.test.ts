import { expect, test } from "vitest";
import { parseLimit, subjectOf } from "./parse-limit.ts";

const BROWSE = { tag: "scenario", value: "browse", isNot: false };

test.each([
  [
    "p95 > 500ms",
    { label: undefined, figure: "p95", comparison: ">", bound: 0.5, unit: "seconds" },
  ],
  ["errors>1%", { figure: "errors", comparison: ">", bound: 0.01, unit: "share" }],
  ["errors >= 3", { figure: "errors", comparison: ">=", bound: 3, unit: "count" }],
  ["GET /cart: avg > 0.2s", { label: "GET /cart", figure: "avg", bound: 0.2, unit: "seconds" }],
  ["http://a:80/x: max > 60 s", { label: "http://a:80/x", figure: "max", bound: 60 }],
  ["p99.9 > 250 us", { figure: "p99.9", bound: 0.00025 }],
  ["p75 > 1 s", { figure: "p75", kind: "value", unit: "seconds" }],
  ["p99.90 > 1 s", { figure: "p99.9" }],
  ["p0.05 > 1 s", { figure: "p0.05" }],
  ["requests < 1000", { figure: "requests", comparison: "<", bound: 1000, unit: "count" }],
  ["throughput <= 12.5/s", { comparison: "<=", bound: 12.5, unit: "perSecond" }],
  ["p95 grows > 10%", { figure: "p95", kind: "growth", bound: 0.1, unit: "share" }],
  ["  a b :errors   grows>=0.5 %", { label: "a b", figure: "errors", kind: "growth" }],
  ["p95 changed", { figure: "p95", kind: "change", comparison: ">", bound: 0, unit: "share" }],
  ["a: requests  changed ", { label: "a", figure: "requests", kind: "change", bound: 0 }],
  ["each: p95 > 1s", { label: undefined, each: "*", figure: "p95" }],
  ["each GET /a:*: p95 changed", { label: undefined, each: "GET /a:*", kind: "change" }],
  ["eachother: p95 > 1s", { label: "eachother", figure: "p95" }],
  ['"measure cart": p95 > 1s', { label: "measure cart", figure: "p95" }],
  ['"checks{a}: b": p95 > 1s', { label: "checks{a}: b" }],
  ['"each \\"one\\"": p95 > 1s', { label: 'each "one"', figure: "p95" }],
  ['say "hi": p95 > 1s', { label: 'say "hi"' }],
  ["errors > 5% over 30s", { bound: 0.05, window: { seconds: 30, afterSeconds: 0 } }],
  [
    "a over b: p95 > 2s over 1m after 2m at least 100 requests",
    { label: "a over b", window: { seconds: 60, afterSeconds: 120, requestsMin: 100 } },
  ],
  [
    "p95 > 2s over 10s for 3 windows after 1m",
    { window: { seconds: 10, inARow: 3, afterSeconds: 60 } },
  ],
  ["errors > 5% over 30s for 1 window", { window: { seconds: 30, inARow: 1, afterSeconds: 0 } }],
  ["requests < 10 over 1h", { bound: 10, unit: "count", window: { seconds: 3600 } }],
  ["errors changed >= 1%", { figure: "errors", kind: "change", comparison: ">=", bound: 0.01 }],
  [
    "p95{scenario=browse} > 300ms",
    { label: undefined, figure: "p95", facets: [BROWSE], bound: 0.3 },
  ],
  [
    "errors { a.b-c != x y , scenario=browse} grows > 1%",
    { kind: "growth", facets: [{ tag: "a.b-c", value: "x y", isNot: true }, BROWSE] },
  ],
  [
    'each GET /{id}:*: p95{url="http://a:80/{x}, \\"y\\"", scenario=browse} changed',
    {
      kind: "change",
      each: "GET /{id}:*",
      facets: [{ tag: "url", value: 'http://a:80/{x}, "y"', isNot: false }, BROWSE],
    },
  ],
  [
    "p95{url=http://a:80/b} > 1s",
    { label: undefined, facets: [{ tag: "url", value: "http://a:80/b", isNot: false }] },
  ],
  ["GET /{a:b}: avg > 1s", { label: "GET /{a:b}", figure: "avg" }],
  ["a{b=c}: p95{scenario=browse} > 1s", { label: "a{b=c}", facets: [BROWSE] }],
  ["p95{group=} > 1s", { facets: [{ tag: "group", value: "", isNot: false }] }],
])("%s is read", (text, expected) => {
  const limit = parseLimit(text);
  expect(limit).toMatchObject({ kind: "value", ...expected, text });
});

test.each(["measure a", "checks{a}", "each", "each a", '"a"', '"a\\"', '"a" b', " a", "a: b"])(
  "the endpoint with the label %s can be named",
  (label) => {
    expect(parseLimit(`${subjectOf(label)}: p95 > 1s`)).toMatchObject({ label });
  },
);

// 308.551 / 1000 is 0.30855099999999996: a maximum of exactly 308.551 ms broke the limit.
test.each(["308.551ms", "308551us", "0.308551s"])("%s is the nearest number", (bound) => {
  expect(parseLimit(`max > ${bound}`)).toMatchObject({ bound: 0.308551 });
});

// The caret is below the first invalid character, or after the end.
test.each([
  ["", "^", /^expected one of avg, min/],
  ["p0 > 1s", "^", /^expected one of avg, min/],
  ["p100 > 1s", "^", /^expected one of avg, min/],
  ["p99.999 > 1s", "^", /^expected one of avg, min.*another percentile/],
  ["p75 grows > 5%", "    ^", /^growth is supported for avg, p50/],
  [": p95 > 1s", "^", /^expected the label/],
  ["cart: quick > 1s", "      ^", /^expected one of avg/],
  ["p95 > 1s over", "             ^", /^expected whole seconds, minutes or hours/],
  ["p95 > 1s over 1.5s", "              ^", /^expected whole seconds.*1 to 3600/],
  ["p95 > 1s over 2h", "              ^", /^expected whole seconds.*1 to 3600/],
  ["p95 > 1s after 10s", "         ^", /^expected nothing more/],
  ["p95 > 1s over 9s at least 10", "                 ^", /^expected nothing more/],
  ["p95 > 1s over 9s for 11 windows", "                     ^", /^expected 1 to 10 windows/],
  ["p95 > 1s over 9s for ever", "                     ^", /^expected 1 to 10 windows/],
  ["max > 1s over 10s", "         ^", /^over is supported for values of all statistics but/],
  ["p95 grows > 5% over 10s", "               ^", /^over is supported for values/],
  ["p95", "   ^", /^expected one of > >= < <=/],
  ["p95{} > 1s", "    ^", /^expected a facet/],
  ["p95{scenario:browse} > 1s", "                   ^", /^expected = or !=/],
  ["cart: p95{scenario=a > 1s", "                   ^", /^expected , or }/],
  [
    "measure cpu: p95{a=b} > 1",
    "                ^",
    /^measures have tags, which follow their name/,
  ],
  ["p95 = 1s", "    ^", /^expected one of > >= < <=/],
  ["p95 is > 1s", "    ^", /^expected grows/],
  ["p95 > ", "      ^", /^expected a number/],
  ["p95 > -1s", "      ^", /^expected a number/],
  ["p95 > 500", "         ^", /^expected us or ms or s after 500/],
  ["p95 > 5 %", "        ^", /^expected us or ms/],
  ["errors > 1s", "          ^", /^expected % or no unit after 1/],
  ["requests > 5%", "            ^", /^expected no unit after 5/],
  ["max grows > 5%", "    ^", /^growth is supported for avg, p50, p95, p99, errors only/],
  ["max changed", "    ^", /^change is supported for avg, p50, p95, p99, errors, requests only/],
  ["p95 changed 5%", "            ^", /^expected > or >=/],
  ["p95 changed > 5ms", "               ^", /^expected % after 5/],
  ["p95 grows < 5%", "          ^", /^expected > or >=/],
  ["p95 grows > 5ms", "             ^", /^expected % after 5/],
  ["p95 > 5ms and more", "          ^", /^expected nothing more/],
])("marks the mistake in %j", (text, caret, message) => {
  expect(parseLimit(text)).toEqual({
    at: caret.indexOf("^"),
    message: expect.stringMatching(message),
  });
});

test("checks of k6 need no word before them", () => {
  const condition = "checks{check=is 200}: rate < 99%";
  const text = `measure ${condition}`;
  expect({ ...parseLimit(condition), text }).toEqual(parseLimit(text));
});

test("quotes that are left open are read in linear time", () => {
  const beganMs = performance.now();
  const text = String.raw`:a{\"`.repeat(10_000);
  expect(parseLimit(text)).toHaveProperty("message");
  expect(parseLimit(`${text}}`)).toHaveProperty("message");
  expect(performance.now() - beganMs).toBeLessThan(500);
});

test("facets are those at the end, and may have colons and braces in quotes", () => {
  const facets = [{ name: "host", comparison: "=", value: '"}: {' }];
  const parsed = parseLimit('GET /a{"}: p95{host="\\"}: {"} > 5s');
  expect(parsed).toMatchObject({ label: 'GET /a{"}', figure: "p95" });
  expect(JSON.stringify(parsed)).toContain(JSON.stringify(facets[0]?.value));
});
