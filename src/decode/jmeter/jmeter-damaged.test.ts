import { expect, test } from "vitest";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { jmeterCsv } from "./jmeter-csv.ts";
import { jmeterXml } from "./jmeter-xml.ts";

const SECOND = 1_746_612_000;
const SIXTEEN =
  "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,Latency,IdleTime,Connect";
const SEVENTEEN = SIXTEEN.replace("allThreads,", "allThreads,URL,");

/** The same for any chunk size. */
function decode(...lines: readonly string[]): Decoded {
  const source = `${lines.join("\n")}\n`;
  const decoded = decodeSource(jmeterCsv, source);
  expect(decodeSource(jmeterCsv, source, [1, 7, 100])).toEqual(decoded);
  return decoded;
}

/** Requests and failed ones by label. */
function counted({ samples, windows }: Decoded): Record<string, readonly number[]> {
  const counts: Record<string, number[]> = {};
  for (const { label = "", requests, failedRequests } of [...samples, ...windows]) {
    const [all = 0, failed = 0] = counts[label] ?? [];
    counts[label] = [all + requests, failed + failedRequests];
  }
  return counts;
}

/** As public converters with a plain `%d,%d,%s,…` write (bancolombia/distributed-performance-analyzer #62). */
test("rows whose messages hold unquoted commas count, and keep their failures", () => {
  const message =
    "HTTPConnectionPool(host='shop.example', port=443): Max retries exceeded with url: /cart " +
    "(Caused by ConnectTimeoutError(<conn>, 'Connection timed out. (connect timeout=10)'))";
  const rows = Array.from({ length: 100 }, (_, at) =>
    at % 10 === 3
      ? `${SECOND + at}000,10004,/cart,0,KO,tg 1-1,unknown,false,${message},0,0,5,5,0,0,0`
      : `${SECOND + at}000,${40 + (at % 9)},/cart,200,OK,tg 1-1,unknown,true,None,512,0,5,5,0,0,0`,
  );
  const decoded = decode(SIXTEEN, ...rows);
  expect(counted(decoded)).toEqual({ "/cart": [100, 10] });
  expect(Math.max(...decoded.samples.map(({ elapsedMicros }) => elapsedMicros))).toBe(10_004_000);
  expect(decoded.failures).toHaveLength(10);
  expect(decoded.failures[0]?.kind).toEqual({ code: "0", message: "KO" });
  expect(decoded.rejections).toEqual([]);
  expect(decoded.repairs).toHaveLength(10);
  expect(decoded.repairs?.[0]).toMatchObject({
    kind: "fields-misplaced",
    line: 5,
    reason: "got 18 fields, want 16",
  });
});

/** As JMeter itself writes failureMessage (apache/jmeter #5770). */
test("rows with an unquoted line break count once", () => {
  const rows = Array.from({ length: 40 }, (_, at) => {
    const begin = `${SECOND + at}000,100,Home,200,OK,TG 1-1,text`;
    const end = "1000,100,1,1,null,90,0,5";
    return at % 4 === 1
      ? `${begin},false,Test failed: text expected to contain /a\nb, c/\n\nd,${end}`
      : `${begin},true,,${end}`;
  });
  const decoded = decode(SEVENTEEN, ...rows);
  expect(counted(decoded)).toEqual({ Home: [40, 10] });
  expect(decoded.rejections).toEqual([]);
  expect(decoded.repairs?.map(({ kind, line }) => [kind, line]).slice(0, 2)).toEqual([
    ["fields-misplaced", 3],
    ["fields-misplaced", 10],
  ]);
  expect(decoded.repairs).toHaveLength(10);
});

test("a row cut before its outcome is rejected, also behind one that lacks fields", () => {
  const short = `${SECOND}000,100,Home,200,OK,TG 1-1,text,false,x`;
  const cut = `${SECOND}000,100,Home,200,OK`;
  const { rejections, ...decoded } = decode(SEVENTEEN, short, cut, "and,so,on");
  expect(counted({ ...decoded, rejections })).toEqual({ Home: [1, 1] });
  expect(rejections.map(({ line, reason }) => [line, reason])).toEqual([
    [3, "got 5 fields, want 17"],
  ]);
});

test("a row without its beginning is rejected, also behind one that lacks fields", () => {
  const short = `${SECOND}000,100,Home,200,OK,TG 1-1,text,true,,1000,100,1,1`;
  const other = `${SECOND}000,100,Login,500,OK,TG 1-1,text,false,,1000,100,1,1`;
  const cut = other.slice(`${SECOND}000,1`.length);
  const decoded = decode(SEVENTEEN, short, cut, short);
  expect(counted(decoded)).toEqual({ Home: [2, 0] });
  expect(decoded.rejections).toMatchObject([{ line: 3 }]);
});

/** JMeter writes -1 for a transaction whose request failed before it began (apache/jmeter #6078). */
test("transactions with a negative time keep their failures, without a response time", () => {
  const outcomes = Array.from({ length: 10 }, (_, at) => at % 5 !== 0);
  const rows = outcomes.flatMap((isPassed, at) => {
    const message = `"Number of samples in transaction : 1, number of failing samples : ${isPassed ? 0 : 1}"`;
    const [code, time] = isPassed ? [200, 7] : [500, -1];
    return [
      `${SECOND + at}000,${Math.max(0, time)},Java,${code},m,TG 1-1,text,${isPassed},,10,0,1,1,null,0,0,0`,
      `${SECOND + at}000,${time},Checkout,${code},${message},TG 1-1,,${isPassed},,10,0,1,1,null,0,0,0`,
    ];
  });
  const elements = outcomes.map((isPassed, at) => {
    const [code, time] = isPassed ? [200, 7] : [500, -1];
    const about = `ts="${SECOND + at}000" s="${isPassed}" rc="${code}" tn="TG 1-1" by="10"`;
    return (
      `<sample t="${time}" ${about} lb="Checkout" rm="Number of samples in transaction : 1, number of failing samples : 0" dt="">` +
      `<sample t="${Math.max(0, time)}" ${about} lb="Java" rm="m" dt="text"/></sample>`
    );
  });
  const csv = decode(SEVENTEEN, ...rows);
  const xml = decodeSource(
    jmeterXml,
    `<testResults version="1.2">\n${elements.join("\n")}\n</testResults>`,
  );
  for (const decoded of [csv, xml]) {
    expect(counted(decoded)).toEqual({ Java: [10, 2], Checkout: [10, 2] });
    expect(decoded.roles).toEqual({ Java: "request", Checkout: "transaction" });
    expect(decoded.windows).toMatchObject([
      { label: "Checkout", untimedRequests: 1, untimedFailedRequests: 1 },
      { label: "Checkout", untimedRequests: 1, untimedFailedRequests: 1 },
    ]);
    expect(decoded.rejections).toEqual([]);
    expect(decoded.repairs?.map(({ kind }) => kind)).toEqual(["time-unknown", "time-unknown"]);
  }
});

test.each<[row: string, label: string | undefined, kind: object | undefined]>([
  [
    "163,a, b,500,Error, really,TG 1-1,text,false,,9,9,1,1,0,0,0",
    "a, b",
    { code: "500", message: "Error" },
  ],
  [
    "163,a,500,Error, really,TG 1-1,text,false,x, y,9,9,1,1,0,0,0",
    "a",
    { code: "500", message: "Error" },
  ],
  [
    "163,a,Non HTTP response code: x.Y,Non HTTP response message: z, z,TG 1-1,text,false,,9,9,1,1,0,0,0",
    "a",
    { code: "Non HTTP response code: x.Y", message: "Non HTTP response message: z" },
  ],
  // Several fields may be the outcome.
  [
    "163,a,500,Error,TG 1-1,text,false,false,,9,9,1,1,0,0,0,7",
    "a",
    { code: "500", message: "Error" },
  ],
  ["163,a,500,Error,TG 1-1,text,false,true,,9,9,1,1,0,0,0,7", undefined, undefined],
  ["163,a,500,Error,TG 1-1,text,perhaps,,9,9,1,1,0,0,0,7,8", undefined, undefined],
  // Two rows in one line: JMeter was killed, and its next run appended.
  [
    `163,a,500,Error,TG 1-1,text,false,,66${SECOND}000,163,b,200,OK,TG 1-1,text,true,,9,9,1,1,0,0,0`,
    undefined,
    undefined,
  ],
])("%s is read as far as it is unambiguous", (row, label, kind) => {
  const decoded = decode(SIXTEEN, `${SECOND}000,${row}`);
  const failed = label === undefined ? {} : { [label]: [1, 1] };
  expect(counted(decoded)).toEqual(failed);
  expect(decoded.failures.map((failure) => failure.kind)).toEqual(kind === undefined ? [] : [kind]);
  expect(decoded.rejections).toHaveLength(label === undefined ? 1 : 0);
});

test("an unquoted transaction stays one", () => {
  const rows = ["200", ""].map(
    (code) =>
      `${SECOND}000,5,Pay,${code},Number of samples in transaction : 1, number of failing samples : 0,TG 1-1,,true,,9,9,1,1,0,0,0`,
  );
  const decoded = decode(SIXTEEN, ...rows);
  expect(decoded.roles).toEqual({ Pay: "transaction" });
  expect(counted(decoded)).toEqual({ Pay: [2, 0] });
});

test("columns in another order than JMeter's are not guessed", () => {
  const decoded = decode("success,timeStamp,elapsed,label", `true,${SECOND}000,1,a, b`);
  expect(decoded.samples).toEqual([]);
  expect(decoded.rejections).toHaveLength(1);
});

test("labels built from fields use those that are found", () => {
  const row = `${SECOND}000,163,a,500,Error, really,TG 1-1,text,false,,9,9,1,1,0,0,0`;
  const { samples } = decodeSource(jmeterCsv, `${SIXTEEN}\n${row}\n`, [], {
    timeZone: "UTC",
    labelTemplate: "{threadGroup} {label} {failureMessage}",
  });
  expect(samples).toMatchObject([{ label: "TG a " }]);
});

/** As CsvLogWriter of ru.pflb, on Windows. */
test("labels in windows-1251 stay apart", () => {
  const [entrance, prices] = [
    [0xc2, 0xf5, 0xee, 0xe4],
    [0xd6, 0xe5, 0xed, 0xfb],
  ].map((bytes) => Buffer.from(bytes).toString("latin1"));
  const rows = Array.from({ length: 30 }, (_, at) => [
    `${SECOND + at}000,100,${entrance},200,OK,TG 1-1,text,true,,1,1,1,1,9,0,5`,
    `${SECOND + at}500,2000,${prices},200,OK,TG 1-1,text,true,,1,1,1,1,9,0,5`,
  ]);
  const source = Buffer.from(`${[SIXTEEN, ...rows.flat()].join("\n")}\n`, "latin1");
  const decoded = decodeSource(jmeterCsv, source);
  expect(counted(decoded)).toEqual({
    [String.raw`\xC2\xF5\xEE\xE4`]: [30, 0],
    [String.raw`\xD6\xE5\xED\xFB`]: [30, 0],
  });
  expect(decoded.repairs).toHaveLength(60);
  expect(decoded.repairs?.[0]).toMatchObject({ kind: "text-undecodable", line: 2 });
});

const EIGHT = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,success,bytes";

test.each([
  ["is closed in front of text", 'GET /ca"rt,503,some text,users 1-1,false,512'],
  ["is closed in front of a delimiter", 'GET /cart",503,some text,users 1-1,false,512'],
])("rows behind a quote that %s are rejected", (_how, rest) => {
  const row = `${SECOND}000,100,GET /cart,200,OK,users 1-1,true,512`;
  const open = `${SECOND}000,5017,"GET /cart,503,some text,users 1-1,false,512`;
  const decoded = decode(EIGHT, row, open, row, row, `${SECOND}000,5017,${rest}`, row);
  expect(counted(decoded)).toEqual({ "GET /cart": [2, 0] });
  expect(decoded.rejections).toMatchObject([{ line: 3 }]);
});

test("rows behind a quote that is closed where it was opened are rejected after any number of rows", () => {
  const row = `${SECOND}000,100,GET /cart,200,OK,users 1-1,true,512`;
  const rows = Array.from({ length: 50 }, () => row);
  const open = `${SECOND}000,5017,GET /cart,503,no,"users 1-1,false,512`;
  const close = `${SECOND}000,5017,GET /cart,503,no,users 1-1",false,512`;
  const decoded = decode(EIGHT, ...rows, open, row, close, ...rows);
  expect(counted(decoded)).toEqual({ "GET /cart": [100, 0] });
  expect(decoded.rejections).toMatchObject([{ line: 52 }]);
});

test("a row that was cut between its label and its outcome does not get that of the row appended to it", () => {
  const rest = ",1000,100,1,1,null,90,0,5";
  const home = `${SECOND}000,11,/home,200,OK,TG 1-1,text,true,${rest}`;
  const login = `${SECOND}000,12,/login,500,OK,TG 1-2,text,false,${rest}`;
  for (let cut = home.indexOf("/home") + 1; cut < home.indexOf(",,1000"); cut++) {
    const decoded = decode(SEVENTEEN, home, home.slice(0, cut) + login, home);
    expect([cut, counted(decoded)]).toEqual([cut, { "/home": [2, 0] }]);
    expect(decoded.rejections).toMatchObject([{ line: 3 }]);
  }
});

/** JMeter killed while it wrote a transaction, and started again on the same file. */
test("rows behind a transaction that was cut in its quotes are rejected", () => {
  const rest = "TG 1-1,,true,,1000,100,1,1,null,90,0,5";
  const home = `${SECOND}000,11,/home,200,OK,${rest}`;
  const login = home.replace("/home,200,OK", "/login,500,no").replace("true", "false");
  const message = '"Number of samples in transaction : 2, number of failing samples : 0"';
  const cart = `${SECOND}000,12,Cart,200,${message},${rest}`;
  for (let cut = cart.indexOf('"') + 1; cut < cart.lastIndexOf('"'); cut++) {
    for (const hidden of [[login], [home, login], [home, login, home]]) {
      const decoded = decode(SEVENTEEN, home, cart.slice(0, cut) + home, ...hidden, cart, home);
      expect([cut, counted(decoded)]).toEqual([cut, { "/home": [2, 0] }]);
      expect(decoded.rejections).toMatchObject([{ line: 3 }]);
    }
  }
});

/** As of `cat`, where the first of two load generators was killed. */
test("a row that was cut in front of a header is rejected alone", () => {
  const rest = "1000,100,1,1,null,90,0,5";
  const home = `${SECOND}000,11,/home,200,OK,TG 1-1,text,true,,${rest}`;
  const login = `${SECOND}000,12,/login,500,OK,TG 1-2,text,false,,${rest}`;
  for (let cut = 1; cut < login.indexOf(",,"); cut++) {
    const decoded = decode(SEVENTEEN, home, login.slice(0, cut) + SEVENTEEN, home, login);
    expect([cut, counted(decoded)]).toEqual([cut, { "/home": [2, 0], "/login": [1, 1] }]);
    expect(decoded.samples.map(({ second }) => second)).toEqual([SECOND, SECOND, SECOND]);
    expect(decoded.rejections).toMatchObject([{ line: 3 }]);
  }
});

/** As after a power cut, when a part of the file had not reached the disk. */
test("a hole of NUL bytes from one row to the next makes no row of both", () => {
  const rest = "1000,100,1,1,null,90,0,5";
  const home = `${SECOND}000,11,/home,200,OK,TG 1-1,text,true,,${rest}`;
  const login = `${SECOND}000,12,/login,500,no,TG 1-2,text,false,,${rest}`;
  for (let cut = 1; cut < home.length; cut++) {
    const hole = login.slice(0, cut) + "\0".repeat(99) + home.slice(cut);
    const decoded = decode(SEVENTEEN, home, home, hole, home);
    expect([cut, counted(decoded)]).toEqual([cut, { "/home": [3, 0] }]);
    expect(decoded.rejections).toMatchObject([{ line: 4 }]);
  }
});

test("a label that ends with a time is no second row", () => {
  const label = `/cart?_=${SECOND}000`;
  for (const message of ["a, b", "a, b, c", "a, b, c, d"]) {
    const rest = `TG 1-1,text,false,,1000,100,1,1,null,90,0,5`;
    const decoded = decode(SEVENTEEN, `${SECOND}000,11,${label},500,${message},${rest}`);
    expect(counted(decoded)).toEqual({ [label]: [1, 1] });
  }
});

test("a message may quote a row", () => {
  const row = `${SECOND}000,100,GET /cart,500,OK,users 1-1,false,512`;
  const quoting = `${SECOND}000,100,GET /cart,503,"not:\n${row}\n",users 1-1,false,512`;
  const decoded = decode(EIGHT, quoting, row);
  expect(counted(decoded)).toEqual({ "GET /cart": [2, 2] });
  expect(decoded.rejections).toEqual([]);
});

test.each([`${SECOND}0,00,5017`, `${SECOND}000,50,17`, `1,${SECOND}000,5017`])(
  "the times of a row with a comma in them, %s, are unknown",
  (times) => {
    const decoded = decode(EIGHT, `${times},GET /cart,503,some text,users 1-1,false,512`);
    expect(decoded.windows).toMatchObject([{ second: 0, untimedRequests: 1, failedRequests: 1 }]);
    expect(decoded.repairs?.map(({ kind }) => kind).toSorted()).toEqual([
      "fields-misplaced",
      "start-unknown",
      "time-unknown",
    ]);
  },
);

function xmlWith(...outcomes: readonly string[]): Decoded {
  const samples = outcomes.map(
    (outcome) => `<httpSample t="100" ts="${SECOND}000" ${outcome} lb="Home" rc="200"/>\n`,
  );
  return decodeSource(jmeterXml, `<testResults>\n${samples.join("")}</testResults>\n`);
}

test("an XML sample without the outcome that others have is rejected", () => {
  const decoded = xmlWith('s="true"', 's=,"false"', 's="false"');
  expect(counted(decoded)).toEqual({ Home: [2, 1] });
  expect(decoded.rejections).toMatchObject([{ line: 3 }]);
  expect(xmlWith("", "").rejections).toEqual([]);
});
