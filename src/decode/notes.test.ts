import { expect, test } from "vitest";
import { decodeSource } from "../../test/support/decode-source.ts";
import { jmeterCsv } from "./jmeter/jmeter-csv.ts";
import { jmeterXml } from "./jmeter/jmeter-xml.ts";
import { k6Json } from "./k6/k6-json.ts";

/** Other notes are covered by the tests of their formats. */
test.each([
  {
    lack: "timestamps",
    format: jmeterCsv,
    source: "elapsed,label,success,bytes\n1,a,true,1\n",
    note: "no timeStamp column: all requests are at second 0",
  },
  {
    lack: "dates",
    format: jmeterCsv,
    source: "timeStamp,elapsed,label,success,bytes\n03:43:30,1,a,true,1\n",
    note: "timeStamp has no date: these requests are at second 0",
  },
  {
    lack: "a zone",
    format: jmeterCsv,
    source: "timeStamp,elapsed,label,success,bytes\n2026-11-21 03:43:30,1,a,true,1\n",
    note: "timeStamp has no zone: read as UTC",
  },
  {
    lack: "sizes",
    format: jmeterCsv,
    source: "timeStamp,elapsed,label,success\n1795232610052,1,a,true\n",
    note: "no bytes column: response sizes are unknown",
  },
  {
    lack: "failures",
    format: jmeterCsv,
    source: "timeStamp,elapsed,label,bytes\n1795232610052,1,a,1\n",
    note: "no success column: no request counts as failed",
  },
  {
    lack: "timestamps in XML",
    format: jmeterXml,
    source: '<testResults>\n<sample t="1" lb="a" s="true" by="1"/>\n</testResults>\n',
    note: "some samples have no ts: they are at second 0",
  },
])("a source without $lack has the note: $note", ({ format, source, note }) => {
  expect(decodeSource(format, source).notes).toEqual([note]);
});

test.each([
  {
    format: jmeterCsv,
    source: [
      "timeStamp,elapsed,label,success,bytes,responseCode",
      ...codes((code) => `1795232610052,1,a,false,1,${code}`),
    ],
  },
  {
    format: jmeterXml,
    source: [
      "<testResults>",
      ...codes((code) => `<sample t="1" ts="1795232610052" lb="a" s="false" by="1" rc="${code}"/>`),
      "</testResults>",
    ],
  },
  {
    format: k6Json,
    source: codes((code) => {
      const tags = { name: "a", status: "0", expected_response: "false", error_code: `${code}` };
      const data = { time: "2026-11-21T03:43:30.052Z", value: 1, tags };
      return JSON.stringify({ metric: "http_req_duration", type: "Point", data });
    }),
  },
])("$format.name counts failures over the limit of kinds", ({ format, source }) => {
  expect(decodeSource(format, `${source.join("\n")}\n`).notes).toContain(
    "failures of kinds beyond the first 100 of their label: 3",
  );
});

function codes(row: (code: number) => string): string[] {
  return Array.from({ length: 103 }, (_, code) => row(1000 + code));
}
