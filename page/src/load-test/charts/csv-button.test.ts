import { expect, test } from "vitest";
import { csvText } from "./csv-button.tsx";

test("each point is a row, and labels are quoted where they have to be", () => {
  const series = {
    label: 'a "b", c',
    labels: [100, 105],
    count: [2, 1],
    errCount: [1, 0],
    avgLoadTime: [0.2, 0.5],
    receivedBytes: [10, 0],
    percentileOrigin: "computed" as const,
    percentiles: { p50: [0.1, 0.5], p95: [0.3, 0.5], p99: [0.3, 0.5] },
  };
  expect(csvText([series]).split("\r\n")).toEqual([
    "label,second,requests,failed,average,p50,p95,p99,received bytes",
    '"a ""b"", c",100,2,1,0.2,0.1,0.3,0.3,10',
    '"a ""b"", c",105,1,0,0.5,0.5,0.5,0.5,0',
    "",
  ]);
});
