import { describe, expect, test } from "vitest";
import { readCorpus } from "../../../test/fuzz/corpus.ts";
import { type Decoded, decodeSource } from "../../../test/support/decode-source.ts";
import { formatContract } from "../../../test/support/format-contract.ts";
import { quantileOf } from "../../../test/support/decoded-measures.ts";
import type { Format } from "../decoder.ts";
import { guidellmJson } from "./guidellm-json.ts";
import { vllmJson } from "./vllm-json.ts";

formatContract(guidellmJson);
formatContract(vllmJson);

function recording(format: Format): Decoded {
  return decodeSource(format, readCorpus(format.name)[0]?.bytes ?? "");
}

type Figures = readonly [name: string, count: number, average: number, p95: number];

/** Of the tool's own summary in the recording: count, average and p95. */
describe.each<{ format: Format; passed: number; failed: number; figures: readonly Figures[] }>([
  {
    format: vllmJson,
    passed: 34,
    failed: 6,
    figures: [
      ["ttft", 34, 45.08856397058694, 80.46645910012553],
      ["itl", 234, 8.124808854704613, 16.13215100001071],
      ["tpot", 34, 8.152864225789102, 11.73407938998025],
      ["output_tokens", 34, 268 / 34, 12],
      ["input_tokens", 34, 20, 20],
    ],
  },
  {
    format: guidellmJson,
    passed: 21,
    failed: 3,
    figures: [
      ["time_to_first_token_ms", 21, 40.96490996224539, 85.54792404174805],
      ["inter_token_latency_ms", 153, 5.618374332103854, 8.21530818939209],
      ["time_per_output_token_ms", 174, 9.884335528845074, 13.32455211215149],
      ["output_tokens", 21, 8.285714285714285, 12],
      ["prompt_tokens", 21, 20, 20],
    ],
  },
])("a recording of $format.name", ({ format, passed, failed, figures }) => {
  const { samples, windows, rejections, failures, measured } = recording(format);
  const requests = [...samples, ...windows];

  test("has the requests that the tool counts", () => {
    const failedRequests = requests.reduce((sum, each) => sum + each.failedRequests, 0);
    expect({ all: requests.length, failedRequests, rejections }).toEqual({
      all: passed + failed,
      failedRequests: failed,
      rejections: [],
    });
    expect(failures.every(({ kind }) => kind?.message.includes("Service Unavailable"))).toBe(true);
  });

  test.each(figures)("%s is as the tool reports it", (wanted, count, average, p95) => {
    const whole = measured?.all.find(({ label, name }) => label === undefined && name === wanted);
    expect(whole?.count).toBe(count);
    expect((whole?.sum ?? 0) / count).toBeCloseTo(average, 6);
    if (whole === undefined) throw new Error("it is missing");
    // Tools interpolate between two values, of which the greater one counts here.
    expect(p95).toBeLessThan(1.01 * quantileOf(whole, 0.95));
    expect(p95).toBeGreaterThan(0.99 * quantileOf(whole, 0.95 - 1 / count));
  });
});

test("vLLM's requests begin at their offsets, so that the last one ends at its date", () => {
  const { samples } = recording(vllmJson);
  expect(new Date(1000 * (samples[0]?.second ?? 0)).toISOString()).toBe("2026-11-29T04:49:38.000Z");
});

test("a request of vLLM at a time that cannot be stored is rejected", () => {
  const text = Buffer.from(readCorpus("vllm-json")[0]?.bytes ?? "").toString();
  const late = text.replace(/("start_times": \[)[\d.]+/, "$19e12");
  const { samples, windows, rejections } = decodeSource(vllmJson, late);
  expect([samples.length + windows.length, rejections.length]).toEqual([39, 1]);
});

test("all results that vLLM has appended to a file are read, and none that is cut", () => {
  const text = Buffer.from(readCorpus(vllmJson.name)[0]?.bytes ?? "").toString();
  const { samples, windows, rejections } = decodeSource(vllmJson, `${text}\n${text}`);
  // Each has 40.
  expect([samples.length + windows.length, rejections.length]).toEqual([80, 0]);
  expect(() => decodeSource(vllmJson, `${text}\n${text.slice(0, text.length / 2)}`)).toThrow(
    "it is cut in front of the errors of its requests",
  );
});

test("a result of vLLM without single requests is refused", () => {
  const summary = '{"num_prompts":2,"duration":1,"completed":2,"total_input_tokens":9}';
  expect(() => decodeSource(vllmJson, summary)).toThrow("--save-detailed");
});

test("guidellm's label is the level of load, as it names its benchmarks", () => {
  expect(new Set(recording(guidellmJson).samples.map(({ label }) => label))).toEqual(
    new Set(["concurrent@3"]),
  );
});

test("a report of vLLM that was cut is not taken for one without requests", () => {
  const { bytes = new Uint8Array() } = readCorpus(vllmJson.name)[0] ?? {};
  expect(() => decodeSource(vllmJson, bytes.subarray(0, bytes.length * 0.8))).toThrow(
    "it is cut in front of the errors of its requests",
  );
});
