import { expect, test } from "vitest";
import { type Notice, noticeBody, parseNoticeTarget } from "./notice.ts";

const LIMIT = { figure: "p95", unit: "seconds", comparison: ">", bound: 0.5 } as const;
const CHECKED = { ...LIMIT, kind: "value", outcome: "broken" } as const;

const NOTICE: Extract<Notice, { readonly event: "thresholds-failed" }> = {
  event: "thresholds-failed",
  loadTest: { id: "nightly-7", name: "Shop <b>" },
  address: "https://results.example.org/t/nightly-7",
  verdict: {
    name: "Shop <b>",
    against: null,
    fails: true,
    checked: 6,
    failed: 5,
    judged: 5,
    thresholds: [
      { ...CHECKED, failIf: "p95 > 500ms", fails: true, measured: 0.51234 },
      { ...CHECKED, failIf: "max > 9s", fails: false, measured: 1 },
      { ...CHECKED, failIf: "a_b: errors > 1%", unit: "share", fails: true, measured: 0.02 },
      {
        ...CHECKED,
        failIf: "p95 grows > 5%",
        kind: "growth",
        fails: true,
        measured: 0.28,
        bound: 0.05,
      },
      { ...CHECKED, failIf: "throughput < 9/s", unit: "perSecond", fails: true, measured: 8.5 },
      { ...CHECKED, failIf: "gone: p95 > 1s", outcome: "unmeasured", fails: true },
    ],
  },
};

test.each([
  ["https://example.org/hook?token=1", "json", "https://example.org/hook?token=1"],
  ["json+https://example.org/", "json", "https://example.org/"],
  ["slack+https://hooks.slack.com/x", "slack", "https://hooks.slack.com/x"],
  ["teams+https://a.example/x", "teams", "https://a.example/x"],
])("%s is an address", (text, form, url) => {
  const target = parseNoticeTarget(text);
  expect([target?.form, target?.url.href]).toEqual([form, url]);
});

test("user and password become a header, and leave the address", () => {
  const { url, authorization } = parseNoticeTarget("https://ops:a%40b:c%@example.org/x") ?? {};
  // A lone percent sign: what `printf 'ops:a%%40b%%3Ac%%' | base64` prints.
  expect([url?.href, authorization]).toEqual([
    "https://example.org/x",
    "Basic b3BzOmElNDBiJTNBYyU=",
  ]);
  const plain = parseNoticeTarget("https://ops:a%40b@example.org/");
  // printf 'ops:a@b' | base64
  expect(plain?.authorization).toBe("Basic b3BzOmFAYg==");
});

test.each(["http://127.0.0.1:80/", "http://localhost/", "http://[::1]/"])(
  "%s is on this machine",
  (text) => {
    expect(parseNoticeTarget(text)).toBeDefined();
  },
);

test.each([
  "http://example.org",
  "slack+http://10.0.0.1/",
  "example.org",
  "ftp://example.org",
  "irc+https://example.org",
  "https:// a",
])("%s is not an address", (text) => {
  expect(parseNoticeTarget(text)).toBeUndefined();
});

test("Slack gets a text without markup of labels", () => {
  expect(JSON.parse(noticeBody("slack", NOTICE))).toEqual({
    text: [
      "Shop &lt;b&gt; (nightly-7) failed 5 of 6 thresholds",
      "• p95 &gt; 500ms: 512 ms",
      "• a_b: errors &gt; 1%: 2 %",
      "• p95 grows &gt; 5%: +28 %",
      "• throughput &lt; 9/s: 8.5/s",
      "• gone: p95 &gt; 1s",
      "<https://results.example.org/t/nightly-7>",
    ].join("\n"),
  });
});

test.each([
  [{ ...CHECKED, failIf: "avg > 500ms", measured: 0.500_04 }, "500.04 ms"],
  [{ ...CHECKED, failIf: "p95 > 1418ms", bound: 1.418, measured: 1.4182 }, "1420 ms"],
  [{ ...CHECKED, failIf: "p95 <= 1418ms", bound: 1.418, measured: 1.4174 }, "1417 ms"],
  [
    { ...CHECKED, failIf: "errors > 1%", unit: "share", bound: 0.01, measured: 0.010_004 },
    "1.0004 %",
  ],
] as const)("%j shows %s: enough digits to tell it from the bound", (checked, text) => {
  const verdict = { ...NOTICE.verdict, thresholds: [{ ...checked, fails: true }] };
  const body = JSON.parse(noticeBody("slack", { ...NOTICE, verdict })) as { text: string };
  expect(body.text.split("\n")[1]).toMatch(new RegExp(`: ${text}$`));
});

test("Teams gets a card with escaped Markdown", () => {
  const { attachments } = JSON.parse(noticeBody("teams", NOTICE)) as {
    attachments: { content: { body: { text: string }[]; actions: object[] } }[];
  };
  const { body = [], actions } = attachments[0]?.content ?? {};
  expect(body.map(({ text }) => text).slice(0, 3)).toEqual([
    String.raw`Shop \<b\> \(nightly\-7\) failed 5 of 6 thresholds`,
    String.raw`p95 \> 500ms: 512 ms`,
    String.raw`a\_b: errors \> 1%: 2 %`,
  ]);
  expect(actions).toEqual([
    { type: "Action.OpenUrl", title: "Open", url: "https://results.example.org/t/nightly-7" },
  ]);
});

test("others get the whole verdict", () => {
  expect(JSON.parse(noticeBody("json", { ...NOTICE, address: undefined }))).toEqual({
    event: "thresholds-failed",
    loadTest: NOTICE.loadTest,
    verdict: NOTICE.verdict,
  });
});

test("lists the first ten of many failures, and counts those that the verdict leaves out", () => {
  const many = Array.from({ length: 11 }, (_, at) => ({
    ...CHECKED,
    failIf: `max > ${at}ms`,
    fails: true,
  }));
  const verdict = { ...NOTICE.verdict, checked: 30, failed: 25, thresholds: many };
  const notice = { ...NOTICE, verdict };
  const { text } = JSON.parse(noticeBody("slack", notice)) as { text: string };
  expect(text.split("\n").slice(-3)).toEqual([
    "• max &gt; 9ms",
    "• and 15 more",
    "<https://results.example.org/t/nightly-7>",
  ]);
});

test("windows of a measure have values, not requests", () => {
  const window = { from: 1_700_000_000, until: 1_700_000_010, requests: 10, failedRequests: 0 };
  const busy = { failIf: "measure cpu: avg > 95 over 10s", unit: "count", measure: "cpu" } as const;
  const slow = { failIf: "p95 > 1s over 10s", unit: "seconds", bound: 1 } as const;
  const endpoints = ["a", "b"].map((label) => {
    return { label, requests: 5, failedRequests: 1, p95: 2 };
  });
  const { text } = JSON.parse(
    noticeBody("slack", {
      event: "thresholds-broken",
      id: "x",
      loadTest: { id: "run", name: "run" },
      address: undefined,
      thresholds: [
        { ...busy, bound: 95, measured: 97, window, endpoints },
        { ...slow, measured: 2, window: { ...window, failedRequests: 2 }, endpoints },
      ],
      count: 2,
    }),
  ) as { text: string };
  // date -u -d @1700000000
  expect(text.split("\n").slice(1)).toEqual([
    "• measure cpu: avg &gt; 95 over 10s: 97; 10 values from 22:13:20 to 22:13:30 UTC",
    "• p95 &gt; 1s over 10s: 2000 ms; 2 of 10 requests failed from 22:13:20 to 22:13:30 UTC (a: 1 of 5, b: 1 of 5)",
  ]);
});
