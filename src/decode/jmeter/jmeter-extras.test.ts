import { expect, test } from "vitest";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { jmeterCsv } from "./jmeter-csv.ts";
import { jmeterXml } from "./jmeter-xml.ts";

const HEADER =
  "timeStamp,elapsed,label,responseCode,responseMessage,success,failureMessage,bytes,allThreads,Hostname\n";

function csv(...rows: string[]) {
  return decodeSource(jmeterCsv, HEADER + rows.map((row) => `${row}\n`).join(""));
}

function xml(...samples: string[]) {
  return decodeSource(jmeterXml, `<testResults version="1.2">${samples.join("")}</testResults>`);
}

function assertion(text: string): string {
  return `<assertionResult><failureMessage>${text}</failureMessage></assertionResult>`;
}

/** Response code, response message, assertion message, and the resulting kind. */
const KINDS: readonly [string, string, string, string?, string?][] = [
  ["500", "Internal Server Error", "", "500", "Internal Server Error"],
  ["500", "Internal Server Error", "too slow", "500", "Internal Server Error"],
  ["200", "OK", "want <ok>", "200", "want <ok>"],
  ["200", "OK", "", "200", "OK"],
  ["", "", "no answer", "", "no answer"],
  ["Non HTTP response code: a.B", "Non HTTP response message: c", ""],
];

test.each(KINDS)(
  "%j %j %j in CSV gives the failure kind %j %j",
  (code, message, asserted, ...kind) => {
    const { failures } = csv(`1700000000500,3,a,${code},${message},false,${asserted},1,1,h`);
    const wanted = { code: kind[0] ?? code, message: kind[1] ?? message };
    expect(failures).toEqual([{ label: "a", second: 1_700_000_000, kind: wanted, requests: 1 }]);
  },
);

test.each(KINDS)(
  "%j %j %j in XML gives the failure kind %j %j",
  (code, message, asserted, ...kind) => {
    const { failures } = xml(
      `<httpSample t="3" ts="1700000000500" s="false" lb="a" rc="${code}" rm="${message}">`,
      assertion(asserted.replaceAll("<", "&lt;")),
      assertion("a second one"),
      "<responseData>no message</responseData></httpSample>",
    );
    const wanted = { code: kind[0] ?? code, message: kind[1] ?? message };
    if (asserted === "" && code === "200") wanted.message = "a second one";
    expect(failures).toEqual([{ label: "a", second: 1_700_000_000, kind: wanted, requests: 1 }]);
  },
);

test("a failed sample inside a failed one keeps its own assertion", () => {
  const { failures } = xml(
    '<sample t="3" ts="1700000000500" s="false" lb="outer" rc="200" rm="">',
    `<httpSample t="3" ts="1700000000500" s="false" lb="inner" rc="200" rm="">${assertion("in")}</httpSample>`,
    `${assertion("out")}</sample>`,
  );
  expect(failures.map(({ label, kind }) => [label, kind?.message])).toEqual([
    ["inner", "in"],
    ["outer", "out"],
  ]);
});

test("successful samples and failures without a reason have no failure kind", () => {
  expect(csv("1700000000500,3,a,500,no,true,,1,1,h").failures).toEqual([]);
  const bare = "timeStamp,elapsed,label,success\n1700000000500,3,a,false\n";
  expect(decodeSource(jmeterCsv, bare).failures).toEqual([]);
  expect(xml('<sample t="3" ts="1700000000500" s="false" lb="a"/>').failures).toEqual([]);
});

test("active threads are those at the end of a sample, per host", () => {
  const { users } = csv(
    "1700000000999,0,a,200,OK,true,,1,5,one",
    "1700000000999,1,a,200,OK,true,,1,6,one",
    "1700000000000,2500,a,200,OK,true,,1,7,two",
    "2023-11-14 22:13:20.999,1,a,200,OK,true,,1,8,two",
  );
  expect(users).toEqual([
    { generator: "one", second: 1_700_000_000, active: 5 },
    { generator: "one", second: 1_700_000_001, active: 6 },
    { generator: "two", second: 1_700_000_002, active: 7 },
    { generator: "two", second: 1_700_000_001, active: 8 },
  ]);
});

test("a second with known threads is not reported again by later samples", () => {
  const rows = ["0", "1", "0", "1", "0"].map((second) => `170000000${second}000,0,a,,,true,,1,5,h`);
  expect(csv(...rows).users).toEqual([
    { generator: "h", second: 1_700_000_000, active: 5 },
    { generator: "h", second: 1_700_000_001, active: 5 },
  ]);
});

test("failure reasons can be in any column, including the last one of a CRLF line", () => {
  const header = "failureMessage,timeStamp,responseMessage,elapsed,label,success,responseCode";
  const rows = ["late,1700000000500,OK,3,a,false,200", ",1700000000500,No,3,a,false,"];
  const { failures } = decodeSource(jmeterCsv, `${[header, ...rows].join("\r\n")}\r\n`);
  expect(failures.map(({ kind }) => kind)).toEqual([
    { code: "200", message: "late" },
    { code: "", message: "No" },
  ]);
});

test("a text that differs in every row is read unchanged, and so is a very long one", () => {
  const texts = [...Array.from({ length: 9000 }, (_, row) => `no ${row}`), "x".repeat(2000)];
  const { failures } = csv(
    ...texts.map((text, row) => `1700000000500,3,${row >> 5},500,${text},false,,1,1,h`),
  );
  const messages = failures.map(({ kind }) => kind?.message);
  expect(messages.slice(0, -1)).toEqual(texts.slice(0, -1));
  expect(messages.at(-1)).toMatch(/^x{200,}…$/);
});

test("without host names there is one generator, in CSV and XML", () => {
  const { users } = xml(
    '<sample t="2" ts="1700000000998" s="true" lb="a" na="4"/>',
    '<sample t="2" ts="1700000000998" s="true" lb="a" na="3"/>',
    '<sample t="2" ts="1700000000998" s="true" lb="a" na="5"/>',
  );
  expect(users).toEqual([
    { generator: "", second: 1_700_000_001, active: 4 },
    { generator: "", second: 1_700_000_001, active: 5 },
  ]);
});
