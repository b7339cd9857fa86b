import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import {
  type Decoded,
  decodeSource,
  seriesOfSamples,
} from "../../../test/support/decode-source.ts";
import { formatContract } from "../../../test/support/format-contract.ts";
import type { DecodeOptions } from "../decoder.ts";
import { partsOfSeries } from "../../model/series/facets.ts";
import { gooseCsv, gooseJson } from "./goose.ts";

interface Line {
  readonly elapsed?: number;
  readonly method?: string;
  readonly custom?: string;
  readonly name?: string;
  readonly ms?: number;
  /** Microseconds below the millisecond, written since 0.19. */
  readonly fraction?: number;
  readonly status?: number;
  readonly success?: boolean;
  readonly update?: boolean;
  readonly user?: number;
  readonly error?: string;
  readonly omission?: number;
}

const COLUMNS =
  "elapsed,scenario_index,scenario_name,transaction_index,transaction_name,raw,name,final_url,redirected,response_time,status_code,success,update,user,error,coordinated_omission_elapsed,user_cadence";

const DEFAULTS = {
  elapsed: 0,
  method: "Get",
  custom: "",
  name: "cart",
  ms: 67,
  fraction: undefined,
  status: 200,
  success: true,
  update: false,
  user: 0,
  error: "",
  omission: 0,
};

/** Returns a row of Goose 0.18 or, with a fraction, of 0.19. */
function row(given: Line): string {
  const line = { ...DEFAULTS, ...given };
  const { elapsed, method, custom, name, ms, fraction } = line;
  const raw = `"GooseRawRequest { method: ${method}, url: ""http://h/a"", headers: [], body: """", custom_method: ""${custom}"" }"`;
  const begin = [elapsed, 1, "shopper", 0, "", raw, `"${name}"`, "http://h/a", false, ms];
  const end = [line.status, line.success, line.update, line.user, line.error, line.omission, 0];
  return [...begin, ...end, ...(fraction === undefined ? [] : [ms * 1000 + fraction])].join();
}

function object(given: Line): string {
  const line = { ...DEFAULTS, ...given };
  return JSON.stringify({
    elapsed: line.elapsed,
    scenario_index: 1,
    scenario_name: "shopper",
    transaction_index: 0,
    transaction_name: { TransactionOnly: "" },
    raw: {
      method: line.method,
      url: "http://h/a",
      headers: [],
      body: "",
      custom_method: line.custom,
    },
    name: line.name,
    final_url: "http://h/a",
    redirected: false,
    response_time: line.ms,
    status_code: line.status,
    success: line.success,
    update: line.update,
    user: line.user,
    error: line.error,
    coordinated_omission_elapsed: line.omission,
    user_cadence: 0,
    response_time_fraction_us: line.fraction,
  });
}

const FORMS = [
  {
    format: gooseCsv,
    log: (lines: readonly Line[]): string => {
      const isNew = lines.some(({ fraction }) => fraction !== undefined);
      return [isNew ? `${COLUMNS},response_time_us` : COLUMNS, ...lines.map(row), ""].join("\n");
    },
  },
  {
    format: gooseJson,
    log: (lines: readonly Line[]): string => [...lines.map(object), ""].join("\n"),
  },
];
const STARTED_AT_MS = 1_795_232_797_600;

const MEASURE_NOTES = [
  "Goose measures to the first byte of a response",
  "Goose does not record response sizes: they are unknown",
];

test.each(FORMS)("$format.name: a line is a request, at its offset from the start", (form) => {
  const decode = (options: Partial<DecodeOptions>): Decoded => {
    const lines = [
      { elapsed: 399, fraction: 200 },
      { elapsed: 400, method: "Post", name: "", ms: 1, fraction: 0 },
      { elapsed: 401, status: 0, success: false, error: "reset", ms: 5, fraction: 864 },
      { elapsed: 401, status: 404, success: false, error: "404 Not Found: cart", fraction: 1 },
      { elapsed: 402, custom: "QUERY", name: "a, b", fraction: 1 },
    ];
    return decodeSource(form.format, form.log(lines), [], { timeZone: "UTC", ...options });
  };
  const { samples, failures, rejections, notes } = decode({ startedAtMs: STARTED_AT_MS });
  const common = { receivedBytes: 0, requests: 1 };
  const passed = { ...common, failedRequests: 0 };
  const failed = { ...common, label: "GET cart", second: 1_795_232_798, failedRequests: 1 };
  expect(samples).toEqual([
    { ...passed, label: "GET cart", second: 1_795_232_797, elapsedMicros: 67_200 },
    { ...passed, label: "POST ", second: 1_795_232_798, elapsedMicros: 1000 },
    { ...failed, elapsedMicros: 5864 },
    { ...failed, elapsedMicros: 67_001 },
    { ...passed, label: "QUERY a, b", second: 1_795_232_798, elapsedMicros: 67_001 },
  ]);
  expect(failures.map(({ kind }) => kind)).toEqual([
    { code: "", message: "reset" },
    { code: "404", message: "404 Not Found: cart" },
  ]);
  expect(rejections).toEqual([]);
  expect(notes).toEqual([
    ...MEASURE_NOTES,
    "this version of Goose does not log failures that a test sets itself (set_failure): they count as passed",
  ]);
  const unknown = decode({});
  expect(unknown.samples.every(({ second }) => second === 0)).toBe(true);
  expect(unknown.notes[0]).toContain("unless --started-at says when that was");
  const labels = decode({ labelTemplate: "{scenario_name}: {name}" }).samples;
  expect(labels.at(-1)?.label).toBe("shopper: a, b");
});

test.each(FORMS)("$format.name: coordinated omission rows are not requests", (form) => {
  const lines = [{}, { elapsed: 5, omission: 300 }, { elapsed: 9, omission: 600 }];
  const { samples, rejections, notes } = decodeSource(form.format, form.log(lines));
  expect({ samples: samples.length, rejections }).toEqual({ samples: 1, rejections: [] });
  expect(notes).toContain("rows added to correct for coordinated omission, not counted: 2");
});

test.each(FORMS)("$format.name: a correction row replaces the last row of its user", (form) => {
  const lines = [
    { elapsed: 10, user: 1 },
    { elapsed: 11, user: 2, name: "home" },
    { elapsed: 10, user: 1, update: true, success: false, error: "wrong body" },
    { elapsed: 20, user: 2, name: "home", ms: 3 },
    { elapsed: 11, user: 2, name: "home", update: true, success: false, error: "too late" },
  ];
  const { samples, failures, rejections, notes } = decodeSource(form.format, form.log(lines));
  const outcomes = samples.map(({ label, elapsedMicros, failedRequests }) => [
    label,
    elapsedMicros,
    failedRequests,
  ]);
  // A request is recorded once no later row can correct it.
  expect(outcomes).toEqual([
    ["GET home", 67_000, 0],
    ["GET cart", 67_000, 1],
    ["GET home", 3000, 0],
  ]);
  expect(failures).toMatchObject([{ kind: { code: "200", message: "wrong body" } }]);
  expect(rejections.map(({ reason }) => reason)).toEqual([
    "the row corrects a request (update) that is not the last one of its user",
  ]);
  expect(notes).toContain("rows that correct an earlier row, applied to it: 1");
});

test.each(FORMS)("$format.name: a request without a readable response time counts", (form) => {
  const broken = form.log([{ elapsed: 7 }]).replace("67", '"x"');
  const decoded = decodeSource(form.format, broken + form.log([{ user: 9 }]));
  const { samples, windows, rejections, repairs } = decoded;
  expect([samples.length, windows.length, rejections]).toEqual([1, 1, []]);
  expect(windows).toMatchObject([{ requests: 1, untimedRequests: 1 }]);
  expect(repairs?.map(({ kind }) => kind)).toEqual(["time-unknown"]);
});

test.each([
  ["[1]", "want a JSON object"],
  ['{"elapsed":1', "want a JSON object"],
  [object({}).replace('"cart"', "7"), 'cannot read name: got "7", want a text'],
  [object({}).replace('"success":true', '"success":1'), "cannot read success"],
  [object({}).replace(/"raw":\{[^}]*\},/, ""), "cannot read raw: got nothing, want an object"],
  [object({}).replace('"elapsed":0', '"elapsed":0.5'), "cannot read elapsed"],
])("the line %s is rejected: %s", (line, reason) => {
  const { rejections } = decodeSource(gooseJson, `${object({})}\n${line}\n`);
  expect(rejections).toMatchObject([{ line: 2 }]);
  expect(rejections[0]?.reason).toContain(reason);
});

test.each(FORMS)("$format.name: a request whose start cannot be stored is rejected", (form) => {
  const log = form.log([{ user: 1 }, { user: 2, elapsed: 9e15, success: false }, { user: 3 }]);
  const options = { timeZone: "UTC", startedAtMs: STARTED_AT_MS };
  const { samples, rejections } = decodeSource(form.format, log, [], options);
  expect(samples).toHaveLength(2);
  expect(rejections).toMatchObject([{ reason: expect.stringContaining("start") as string }]);
});

test("a row without the method of its request is rejected", () => {
  const source = [COLUMNS, row({}).replace("method: Get", "verb: Get"), ""].join("\n");
  expect(decodeSource(gooseCsv, source).rejections[0]?.reason).toContain("cannot read raw");
});

// Goose of 2021 (PR#334): the keys are in alphabetical order.
test("a log with its keys in another order is recognised", () => {
  const line =
    '{"coordinated_omission_elapsed":0,"elapsed":13047,"error":"","final_url":"http://h/node/84","name":"(Anon) node page","raw":{"body":"","headers":[],"method":"Get","url":"http://h/node/84"},"redirected":false,"response_time":142,"status_code":200,"success":true,"update":false,"user":4,"user_cadence":0}\n';
  expect(gooseJson.recognises(Buffer.from(line))).toBe(true);
  const { samples, rejections } = decodeSource(gooseJson, line);
  expect(samples).toMatchObject([{ label: "GET (Anon) node page", elapsedMicros: 142_000 }]);
  expect(rejections).toEqual([]);
});

for (const { format } of FORMS) formatContract(format);

// Counted by Python: json.loads of each line, rows of the csv module.
test.each([
  ["json", gooseJson, { "": 570, shopper: 549 }],
  ["csv", gooseCsv, { "": 505, shopper: 489 }],
] as const)("scenarios of a recorded log in %s are facets", (form, format, want) => {
  const file = `../../../test/fixtures/goose/gen-goose-0.19.0-${form}-requests.${form}.gz`;
  const log = gunzipSync(readFileSync(path.join(import.meta.dirname, file)));
  const counts: Record<string, number> = {};
  for (const series of seriesOfSamples(decodeSource(format, log))) {
    const [, value = ""] = partsOfSeries(series).facets[0] ?? [];
    counts[value] = (counts[value] ?? 0) + 1;
  }
  expect(counts).toEqual(want);
});
