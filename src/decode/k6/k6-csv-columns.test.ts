import { expect, test } from "vitest";
import { isK6Csv } from "./k6-csv.ts";

const HEADER = "metric_name,timestamp,metric_value,check,error,expected_response,name,status,url";
const ROW = "http_req_duration,1795232665,25.502433,,,true,home,200,home";

test.each<[what: string, head: string, recognised: boolean]>([
  ["the header", HEADER, true],
  ["a header with other columns", "metric_name,timestamp,metric_value\n", true],
  ["a quoted header", '"metric_name","timestamp","metric_value","name"\r\n', true],
  ["console text and the header", `  execution: local\n\n${HEADER}\n`, true],
  ["rows alone", ROW, false],
  ["a header of something else", "metric_name,time,value\n", false],
  ["the words within other text", "see metric_name, timestamp and metric_value", false],
])("recognises k6 CSV by its head: %s", (_what, head, recognised) => {
  expect(isK6Csv(Buffer.from(head))).toBe(recognised);
});
