import { expect, test } from "vitest";
import { readCorpus } from "../../../test/fuzz/corpus.ts";
import { decodeSource } from "../../../test/support/decode-source.ts";
import { formatContract } from "../../../test/support/format-contract.ts";
import { aiperfJsonl } from "./aiperf-jsonl.ts";

const RECORDING = decodeSource(aiperfJsonl, readCorpus("aiperf-jsonl")[0]?.bytes ?? "");
const RECORD = record({ request_start_ns: "1795926275319157786" });

formatContract(aiperfJsonl, {
  wrong: [
    ["{", 'cannot read the line: got "{", want a JSON object'],
    ["{}", "cannot read metadata: got nothing, want an object"],
    [
      record({ request_start_ns: '"now"' }),
      'cannot read request_start_ns: got "\\"now\\"", want a whole number of nanoseconds',
    ],
  ],
});

function record(times: { readonly request_start_ns: string }): string {
  const metadata = `"request_start_ns":${times.request_start_ns},"request_end_ns":1795926275400275863`;
  return `{"metadata":{${metadata}},"metrics":{"request_latency":{"value":76.41774,"unit":"ms"}}}`;
}

/** Unit, count, average, minimum and maximum in profile_export_aiperf.json of the recording of AIPerf 0.13.0. */
test.each<readonly [string, string, number, number, number, number]>([
  ["request_latency", "ms", 14, 69.22595792857143, 33.785543, 101.853064],
  ["time_to_first_token", "ms", 14, 31.937363857142856, 12.177652, 52.567024],
  ["inter_token_latency", "ms", 14, 4.224007283499239, 2.628960875, 5.406688],
  ["inter_chunk_latency", "ms", 94, 5.55362039361702, 0, 10.575827],
  ["output_sequence_length", "tokens", 14, 10, 5, 15],
  [
    "output_token_throughput_per_user",
    "tokens/sec/user",
    14,
    247.4791219354464,
    184.956114,
    380.378426,
  ],
])("%s is as AIPerf itself reports it", (wanted, ...report) => {
  const [unit, count, average, min, max] = report;
  const found = RECORDING.measured?.all.find(({ label, name }) => !label && name === wanted);
  expect(found).toMatchObject({ unit, count });
  expect((found?.sum ?? 0) / count).toBeCloseTo(average, 6);
  expect(found?.min).toBeCloseTo(min, 6);
  expect(found?.max).toBeCloseTo(max, 6);
});

test("requests of the recording that were refused have failed, without a time", () => {
  const { samples, windows, failures, rejections, notes } = RECORDING;
  expect({ passed: samples.length, rejections }).toEqual({ passed: 14, rejections: [] });
  expect(windows).toMatchObject([{ untimedFailedRequests: 1 }, { untimedFailedRequests: 1 }]);
  expect(failures.map(({ kind }) => kind?.code)).toEqual(["503", "503"]);
  expect(notes).toEqual(["requests of the warm-up, left out as in AIPerf's report: 2"]);
});

test("times are exact, and a measure in a second unit is counted as not stored", () => {
  const { samples, measured } = decodeSource(
    aiperfJsonl,
    `${RECORD}\n${RECORD.replace('"ms"', '"s"')}\n`,
  );
  expect(samples[0]).toMatchObject({ second: 1_795_926_275, elapsedMicros: 76_418 });
  expect(measured?.unstored).toMatchObject({ value: 1 });
});
