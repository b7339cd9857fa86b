import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { gatlingText } from "./gatling-text.ts";

const RUN = 'RUN\tRecSimulation\trecsimulation\t1795232786083\tNightly, "run" №1\t3.12.0';
const USER = "USER\tscene\tSTART\t1795232787670";
const NO_SIZES = "Gatling does not record response sizes: they are unknown";

function decode(...lines: readonly string[]): Decoded {
  return decodeSource(gatlingText, [RUN, USER, ...lines, ""].join("\n"));
}

test("a log has requests at their start, failures with their message, and users", () => {
  const { samples, failures, users, rejections, truncatedAt, notes } = decode(
    "REQUEST\t\tHome page\t1795232787999\t1795232788044\tOK\t ",
    "REQUEST\tCheckout  flow,Inner\tAdd to cart 🛒\t1795232788000\t1795232788300\tKO\tj.i.IOException: Premature close",
    "GROUP\tCheckout  flow,Inner\t1795232788081\t1795232788184\t95\tOK",
    "ERROR\tcrash: No attribute named 'nope' is defined \t1795232788433",
    "USER\tscene\tEND\t1795232788500",
  );
  expect(samples).toEqual([
    {
      label: "Home page",
      second: 1_795_232_787,
      elapsedMicros: 45_000,
      receivedBytes: 0,
      requests: 1,
      failedRequests: 0,
    },
    {
      label: "Checkout  flow / Inner / Add to cart 🛒",
      second: 1_795_232_788,
      elapsedMicros: 300_000,
      receivedBytes: 0,
      requests: 1,
      failedRequests: 1,
    },
  ]);
  expect(failures).toEqual([
    {
      label: "Checkout  flow / Inner / Add to cart 🛒",
      second: 1_795_232_788,
      kind: { code: "", message: "j.i.IOException: Premature close" },
      requests: 1,
    },
  ]);
  expect(users).toEqual([
    { generator: "", second: 1_795_232_787, started: 1, ended: 0 },
    { generator: "", second: 1_795_232_788, started: 0, ended: 1 },
  ]);
  expect({ rejections, truncatedAt }).toEqual({ rejections: [], truncatedAt: undefined });
  expect(notes).toEqual([
    NO_SIZES,
    "errors without a request (ERROR records), not counted as requests: 1",
  ]);
});

// Rows of each version, mostly from recorded logs.
test.each([
  {
    version: "2.0",
    run: "org.Sim80\tsim80\tRUN\t1448309155252\t \t2.0",
    user: "ReindexAll\t1168193403996621307-0\tUSER\tSTART\t1448309155266\t0",
    row: "ReindexAll\t1168193403996621307-0\tREQUEST\ta,b\tReindex All\t1448309155292\t1448309155293\t1448309155604\t1448309155604\tOK\t ",
    label: "a / b / Reindex All",
    elapsedMs: 312,
  },
  {
    version: "2.3",
    run: "RUN\torg.Sim20\t\tsim20\t1526391734662\tnull\t2.0",
    user: "USER\tCreateDocuments\t1\tSTART\t1526391735084\t1526391735084",
    row: "REQUEST\tCreateDocuments\t1\t\tCreate File\t1526391735153\t1526391735276\tOK",
    label: "Create File",
    elapsedMs: 123,
  },
  {
    version: "2.3 with further columns of the simulation's own",
    run: "RUN\torg.Sim20\t\tsim20\t1526391734662\tnull\t2.0",
    user: "USER\tCreateDocuments\t1\tSTART\t1526391735084\t1526391735084",
    row: "REQUEST\tCreateDocuments\t1\t\tCreate File\t1526391735153\t1526391735276\tOK\t \t200\t17",
    label: "Create File",
    elapsedMs: 123,
  },
  {
    version: "3.3",
    run: "RUN\tparabank.Loan\tloan\t1760300915851\t \t3.3.1",
    user: "USER\tLoan\t11\tSTART\t1760300916854\t1760300916854",
    row: "REQUEST\t55\t\trequest_loan\t1760300916895\t1760300918787\tOK\t ",
    label: "request_loan",
    elapsedMs: 1892,
  },
  {
    version: "3.12, with a tab in the name and a number for a group",
    run: RUN,
    user: USER,
    row: "REQUEST\t7\ttab\tand 2\t1795232787951\t1795232787967\tOK\t ",
    label: "7 / tab\tand 2",
    elapsedMs: 16,
  },
  {
    version: "3.12, edited by Taurus",
    run: "RUN\tsimulations.Baseline\t\tgatling-1\t1509787166682\t \t3.5.1",
    user: "USER\tSTART\t1522402818642\t1522402818642",
    row: "REQUEST\tUser-Login,Auth-POST\tPOST\t1522402818775\t1522402820054\tOK",
    label: "User-Login / Auth-POST / POST",
    elapsedMs: 1279,
  },
  {
    version: "3.12, with a name that reads like the end of a row",
    run: RUN,
    user: USER,
    row: "REQUEST\t\t1\t2\tOK\t1795232787951\t1795232787967\tOK\t ",
    label: "1\t2\tOK",
    elapsedMs: 16,
  },
])("a row of version $version is read", ({ run, user, row, label, elapsedMs }) => {
  const { samples, users, rejections } = decodeSource(gatlingText, `${run}\n${user}\n${row}\n`);
  expect(samples).toMatchObject([{ label, elapsedMicros: elapsedMs * 1000 }]);
  expect(users).toMatchObject([{ started: 1, ended: 0 }]);
  expect(rejections).toEqual([]);
});

test.each([
  ["REQUEST\t\ta\t1795232787951\t1795232787967\tKO\ttwo\tparts", "two\tparts"],
  ["REQUEST\t\ta\t1795232787951\t1795232787967\tKO\t ", ""],
  ["REQUEST\t\ta\t1795232787951\t1795232787967\tKO", ""],
  [
    "REQUEST\t\ta\t1795232787951\t1795232787967\tKO\tstatus.find.is(200), but actually found 404\r",
    "status.find.is(200), but actually found 404",
  ],
])("the failure of %j has the message %j", (row, message) => {
  expect(decode(row).failures).toMatchObject([{ kind: { code: "", message } }]);
});

test("a request broken by a line break in its name is rejected once", () => {
  const { samples, rejections } = decode(
    "REQUEST\t\ttab\tand",
    "newline",
    "",
    "and more\t1795232787951\t1795232787967\tOK\t ",
    "REQUEST\t\tHome page\t1795232787792\t1795232787844\tOK\t ",
    "a line of somebody else",
  );
  expect(samples).toHaveLength(1);
  expect(rejections).toEqual([
    {
      line: 3,
      byte: Buffer.byteLength(`${RUN}\n${USER}\n`),
      reason: "the row is incomplete: got 4 columns, want times and OK or KO among them",
    },
    {
      line: 8,
      byte: expect.any(Number) as number,
      reason: 'not a Gatling row: got "a line of somebody else"',
    },
  ]);
});

test.each([
  ["RUN\tSim\tsim\t1795232786083\tfirst", "second\t3.12.0"],
  ["GROUP\tfirst", "second\t1795232788081\t1795232788184\t95\tOK"],
])("the remainder of %j on the next line is not a separate row", (first, second) => {
  expect(decode(first, second).rejections).toEqual([]);
  const whole = `${first}${second}`;
  expect(decode(whole, "no row").rejections).toMatchObject([{ line: 4 }]);
});

test.each([
  ["\t\ta\t1795232787967\t-9223372036854775808\tOK\t ", /^no request, but an incoming message/],
  ["\t\ta\t999\t1000\tOK\t ", /^cannot store the start: got 999 ms since 1970/],
  ["\t\ta\t4294967296000\t4294967296001\tOK\t ", /^cannot store the start/],
  ["\t\ta\t1795232787.9\t1795232787951\tOK\t ", /^the row is incomplete/],
  ["\t\ta\t1795232787951\t1795232787967\tMaybe\t ", /^the row is incomplete/],
  ["\ta\t1795232787951\t1795232787967\tOK\t ", /^the row is incomplete/],
  ["\t\ta\t1795232787951\t17952\t32787967\tKO\tx", /^a tab is inside a time/],
  ["\t\ta\t179523\t2787951\t1795232787967\tKO\tx", /^a tab is inside a time/],
])("REQUEST%s is rejected", (rest, reason) => {
  const { samples, rejections } = decode(`REQUEST${rest}`);
  expect(samples).toEqual([]);
  expect(rejections).toEqual([
    {
      line: 3,
      byte: expect.any(Number) as number,
      reason: expect.stringMatching(reason) as string,
    },
  ]);
});

// gatling #3455: requests of JMS that end before they start.
test("a request that ends before its start is counted with its outcome", () => {
  const { samples, windows, rejections, repairs } = decode(
    "REQUEST\t\tOrder\t1795232786000\t1795232786120\tOK\t ",
    "REQUEST\t\tOrder\t1795232787967\t1795232787951\tOK\t ",
    "REQUEST\t\tOrder\t1795232788967\t1795232788951\tKO\ttimed out",
  );
  expect(samples).toMatchObject([{ elapsedMicros: 120_000, failedRequests: 0 }]);
  expect(windows).toMatchObject([
    { label: "Order", untimedRequests: 1, failedRequests: 0 },
    { label: "Order", untimedRequests: 1, failedRequests: 1 },
  ]);
  expect(rejections).toEqual([]);
  const reason = expect.stringMatching(/^the end is before the start: got 179523278/) as string;
  expect(repairs).toMatchObject([4, 5].map((line) => ({ kind: "time-unknown", line, reason })));
});

test.each([
  ["a name", "\t" + "a".repeat(1025)],
  ["a group and a name", `${"b".repeat(500)}\t${"a".repeat(522)}`],
])("%s of more than 1,024 bytes are shortened", (_what, columns) => {
  const row = `REQUEST\t${columns}\t1795232787951\t1795232787967\tKO\t `;
  const { samples, rejections, repairs } = decode(row, row, row.replace("aa\t1", "ab\t1"));
  const labels = samples.map(({ label = "" }) => label);
  expect(labels.map((label) => Buffer.byteLength(label))).toEqual([1024, 1024, 1024]);
  expect(new Set(labels).size).toBe(2);
  expect(rejections).toEqual([]);
  expect(repairs?.map(({ kind, line }) => [kind, line])).toEqual(
    [3, 4, 5].map((line) => ["label-shortened", line]),
  );
});

test("a scenario can be named START", () => {
  const { users, rejections } = decode("USER\tSTART\tEND\t1795232788500");
  expect(users.at(-1)).toEqual({ generator: "", second: 1_795_232_788, started: 0, ended: 1 });
  expect(rejections).toEqual([]);
});

test.each(["USER\tscene", "USER\tscene\tSTART\tsoon", "USER\tscene\tSTART\t12"])(
  "the user %j is rejected",
  (row) => {
    const { users, rejections } = decode(row);
    expect(users).toHaveLength(1);
    expect(rejections).toMatchObject([{ line: 3 }]);
  },
);

test.each([
  ["REQUEST\t\ta\t1795232787951\t1795232787967\tOK", 1, false],
  ["REQUEST\t\ta\t1795232787951\t1795232787967\tO", 0, true],
  ["REQUEST\t\ta\t1795232787951\t1795232787967\tKO", 1, false],
  ["REQUEST\t\ta\t1795232787951\t1795232787967\tK", 0, true],
  ["USER\tscene\tEND\t1795232787967", 0, false],
  ["USER\tscene\tEND\t17952327", 0, true],
  ["GROUP\ta\t1795232788081\t1795232788184\t95\tOK", 0, false],
  ["GROUP\ta\t1795232788081", 0, true],
  ["ERR", 0, true],
  ["  ", 0, false],
])("a last line %j without its end gives %i requests, cut: %s", (line, requests, isCut) => {
  const { samples, rejections, truncatedAt } = decodeSource(gatlingText, `${RUN}\n${line}`);
  expect(samples).toHaveLength(requests);
  expect(rejections).toEqual([]);
  const byte = Buffer.byteLength(`${RUN}\n`);
  const reason = "the source ends inside a line";
  expect(truncatedAt).toEqual(isCut ? { line: 2, byte, reason } : undefined);
});

test.each(["KO\t", "KO\tstatus.find.is(20", "KO\ttwo\tcolu"])(
  "a last line that ends in %j is a failed request without a message",
  (end) => {
    const row = "REQUEST\t\tcart\t1790000001000\t1790000001114\t";
    const { samples, failures, truncatedAt, notes } = decodeSource(
      gatlingText,
      `${RUN}\n${row}${end}`,
    );
    expect(samples).toMatchObject([{ elapsedMicros: 114_000, failedRequests: 1 }]);
    expect(failures).toMatchObject([{ kind: { code: "", message: "" } }]);
    expect({ truncatedAt, notes }).toEqual({
      truncatedAt: undefined,
      notes: expect.arrayContaining([expect.stringContaining("message: the request counts")]),
    });
  },
);

test("failures of more than 100 kinds are noted", () => {
  const rows = Array.from({ length: 103 }, (_, kind) => {
    return `REQUEST\t\ta\t1795232787951\t1795232787967\tKO\tkind ${kind}`;
  });
  const { failures, notes } = decode(...rows);
  expect(failures.at(99)?.kind).toEqual({ code: "", message: "kind 99" });
  expect(failures.at(100)?.kind).toEqual({ code: "", message: "(other)" });
  expect(notes).toContain("failures of kinds beyond the first 100 of their label: 3");
});

test("names that are not UTF-8 are noted, in groups too", () => {
  const [before, after] = `${RUN}\nREQUEST\tg\ta?\t1795232787951\t1795232787967\tOK\t \n`.split(
    "?",
  );
  const bytes = Buffer.concat([Buffer.from(`${before}`), Buffer.of(0xe9), Buffer.from(`${after}`)]);
  const { samples, notes } = decodeSource(gatlingText, bytes);
  expect(samples).toMatchObject([{ label: String.raw`g / a\xE9` }]);
  expect(notes).toHaveLength(2);
});

test.each([
  [`${RUN}\n`, true],
  ["ASSERTION\tAAECAAMDAAAAAAAAAE5A\n", true],
  ["org.Sim80\tsim80\tRUN\t1448309155252\t \t2.0\n", true],
  // Logs without their beginning.
  ["USER\tscene\tSTART\t1795232787670\n", true],
  ["REQUEST\t\ta\t1795232787951\t1795232787967\tKO\tx\n", true],
  ["RUN\t20120607202804\trun1\tinteresting\tMySimulation\tinfo\n", false],
  ["timeStamp\telapsed\tRUN\tlabel\n", false],
  ["RUN the tests\n", false],
  ["REQUEST\tfor\tcomments\n", false],
  ["", false],
])("%j is a text Gatling log: %s", (text, isLog) => {
  expect(gatlingText.recognises(Buffer.from(text))).toBe(isLog);
});
