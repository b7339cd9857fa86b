import { expect, test } from "vitest";
import { thresholdsFromK6 } from "./from-k6.ts";

function expressionsOf(value: unknown): readonly string[] | undefined {
  return thresholdsFromK6(value)?.thresholds.flatMap(({ failIf }) => failIf);
}

/** k6 passes where the condition holds; the expression fails where it does not. */
test.each([
  ["http_req_duration", "p(95)<500", "p95 >= 500ms"],
  ["http_req_duration", "p(99.9) <= 1500.5", "p99.9 > 1500.5ms"],
  ["http_req_duration", "p(95.0)<500", "p95 >= 500ms"],
  ["http_req_duration", "avg<200", "avg >= 200ms"],
  ["http_req_duration", "med < 150", "p50 >= 150ms"],
  ["http_req_duration", "max<=2000", "max > 2000ms"],
  ["http_req_duration", "min>0.5", "min <= 0.5ms"],
  ["http_req_duration{name:GET /cart}", "p(90)<400", "GET /cart: p90 >= 400ms"],
  ["http_req_duration{name:http://a:80/x}", "p(90)<400", "http://a:80/x: p90 >= 400ms"],
  ['http_req_duration{name:"quoted"}', "p(90)<400", "quoted: p90 >= 400ms"],
  ["http_req_failed", "rate<0.01", "errors >= 1%"],
  ["http_req_failed", "rate<=0.07", "errors > 7%"],
  ["http_req_failed", "rate<0.00000001", "errors >= 0.000001%"],
  ["http_req_failed{ name:a }", "rate<0.5", "a: errors >= 50%"],
  ["http_reqs", "count>=1000", "requests < 1000"],
  ["http_req_duration{scenario:browse}", "p(95)<300", "p95{scenario=browse} >= 300ms"],
  ["http_req_failed{group:::checkout}", "rate<0.01", "errors{group=::checkout} >= 1%"],
  ["http_reqs{name:cart, scenario:a b}", "count>1", "cart: requests{scenario=a b} <= 1"],
  ["http_req_duration{scenario:default}", "med<3", "p50{scenario=} >= 3ms"],
  ["http_req_duration{name:a,status:200}", "p(95)<3", "a: p95{status=200} >= 3ms"],
  ["http_req_duration{expected_response:true}", "p(95)<9", "p95{expected_response=true} >= 9ms"],
  ["http_reqs", "rate>12.5", "throughput <= 12.5/s"],
  ["checkout_ms", "p(95)<200", "measure checkout_ms: p95 >= 200"],
  ["cart_time", "med<=0.5", "measure cart_time: p50 > 0.5"],
  ["iterations", "count>100", "measure iterations: sum <= 100"],
  ["depth", "value<3", "measure depth: last >= 3"],
  ["http_req_waiting", "avg<100", "measure waiting: avg >= 100"],
  ["http_req_tls_handshaking", "max<100", "measure tls: max >= 100"],
  ["browser_web_vital_lcp", "p(75)<2500", "measure browser_web_vital_lcp: p75 >= 2500"],
  ["orders", "rate>0.5", "measure orders: rate <= 0.5"],
  ["orders", "count!=3", "measure orders: sum == 3"],
  ["checks{check:is 200}", "rate>0.99", "measure checks{check=is 200}: rate <= 0.99"],
  ["t{group:::pay, scenario:a}", "avg<3", "measure t{group=::pay, scenario=a}: avg >= 3"],
  ["http_req_waiting{name:GET /x}", "max<9", "measure waiting{endpoint=GET /x}: max >= 9"],
])("%s: %s becomes %s", (metric, threshold, expression) => {
  // Options, with and without an object; a summary of handleSummary; one of --summary-export.
  for (const value of [
    { thresholds: { [metric]: [threshold] } },
    { thresholds: { [metric]: [{ threshold, abortOnFail: false, delayAbortEval: "10s" }] } },
    {
      metrics: {
        [metric]: { type: "trend", values: {}, thresholds: { [threshold]: { ok: true } } },
      },
    },
    { metrics: { [metric]: { avg: 1, thresholds: { [threshold]: false } } } },
  ]) {
    expect(expressionsOf(value)).toEqual([expression]);
  }
});

test.each([
  ["t{vu:1}", "avg<3", "the tag vu of t is not stored"],
  ["http_req_waiting{scenario:a}", "avg<3", "the tag scenario of http_req_waiting is not stored"],
  ["http_req_waiting{name:a}", "p(95)<3", "percentiles of a phase are not stored by endpoint"],
  ["grpc_req_duration", "p(95)<300", "grpc_req_duration is among all requests"],
  ["vus", "value<3", "vus are active users"],
  ["http_req_duration{iter:1}", "p(95)<300", "the tag iter of requests is not stored"],
  ["http_req_duration", "p(95)=>300", "=> is not supported"],
  ["http_req_duration", "count<300", "http_req_duration has no count"],
  ["http_req_failed", "p(95)<1", "http_req_failed has no p()"],
  ["http_req_duration", "p(100)<300", expect.stringMatching(/^expected one of avg, min/)],
  ["http_req_duration", "p(95) < 1.2.3", "not understood"],
  ["http_req_duration", "fast", "not understood"],
  ["http_req_duration", "constructor<1", "http_req_duration has no constructor"],
])("%s: %s is left out", (metric, threshold, why) => {
  expect(thresholdsFromK6({ thresholds: { [metric]: [threshold] } })).toEqual({
    thresholds: [],
    facets: [],
    leftOut: [{ threshold: `${metric}: ${threshold}`, why }],
  });
});

/** Durations as k6 writes and reads them; after 90 s, k6 would look at once. */
test.each([
  ["http_req_duration", "p(95)<500", "1m30s", "p95 >= 500ms", "over 30s after 90s"],
  ["http_req_failed", "rate<0.01", 1500, "errors >= 1%", "over 30s after 2s"],
  ["http_reqs", "rate>12.5", undefined, "throughput <= 12.5/s", "over 30s"],
  ["http_req_duration{scenario:a b}", "avg<2", null, "avg{scenario=a b} >= 2ms", "over 30s"],
  ["checks", "rate>0.99", "0s", "measure checks: rate <= 0.99", "over 30s"],
])(
  "%s: %s that ends the test after %s becomes %s, also %s",
  (...[metric, threshold, delay, expression, window]) => {
    const about = { threshold, abortOnFail: true, delayAbortEval: delay };
    const thresholds = { [metric]: [about, threshold] };
    expect(thresholdsFromK6({ thresholds })?.leftOut).toEqual([]);
    expect(expressionsOf({ thresholds })).toEqual([
      expression,
      `${expression} ${window}`,
      expression,
    ]);
  },
);

test.each([
  [
    "http_req_duration",
    "max<2000",
    "10s",
    /^over is supported for values of all statistics but min/,
  ],
  ["checkout_ms", "p(95)<200", "10s", /^over is supported .* percentiles only$/],
  ["http_reqs", "count<1000", "10s", /^a count is that of the whole run/],
  ["iterations", "count<1000", "10s", /^a count is that of the whole run/],
  ["http_req_failed", "rate<0.5", "soon", /^expected whole seconds/],
  ["http_req_waiting{name:home}", "avg<500", "10s", /^phases of endpoints are stored by minute/],
])("%s: %s that ends the test has no window, which is said", (metric, threshold, delay, why) => {
  const about = { threshold, abortOnFail: true, delayAbortEval: delay };
  const converted = thresholdsFromK6({ thresholds: { [metric]: [about] } });
  expect(converted?.thresholds.flatMap(({ failIf }) => failIf)).toHaveLength(1);
  expect(converted?.leftOut).toEqual([
    {
      threshold: `${metric}: ${threshold}, abortOnFail`,
      why: expect.stringMatching(why) as string,
    },
  ]);
});

test("== needs two expressions", () => {
  expect(expressionsOf({ thresholds: { orders: ["count==3"] } })).toEqual([
    "measure orders: sum < 3",
    "measure orders: sum > 3",
  ]);
});

test("k6 takes a metric without a sample for 0, and a rate for passed", () => {
  const thresholds = { orders: ["count>3", "count<3", "count>=0"], checks: ["rate>0.99"] };
  expect(thresholdsFromK6({ thresholds })?.thresholds).toEqual([
    { failIf: ["measure orders: sum <= 3"] },
    {
      failIf: [
        "measure orders: sum >= 3",
        "measure orders: sum < 0",
        "measure checks: rate <= 0.99",
      ],
      allowMissing: true,
    },
  ]);
});

test.each([[null], [[]], ["x"], [{}], [{ metrics: [] }], [{ results: { metrics: [] } }]])(
  "%j is neither a summary nor options",
  (value) => {
    expect(thresholdsFromK6(value)).toBeUndefined();
  },
);
