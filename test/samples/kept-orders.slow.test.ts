/** Which requests are kept whole does not depend on their order, nor on how they are split among files, batches and machines. */

import path from "node:path";
import { expect, test } from "vitest";
import { seededRandom } from "../../bench/seeded-random.ts";
import { SampleRecorder } from "../../src/aggregate/sample-recorder.ts";
import { detectFormat } from "../../src/decode/detect.ts";
import { FORMATS } from "../../src/decode/formats.ts";
import type { SampleSink } from "../../src/decode/decoder.ts";
import { MeasurementCollector } from "../../src/import/measurement-collector.ts";
import type { LabelledSample, UnreadRequest } from "../../src/model/samples/request-sample.ts";
import { chooseSamples } from "../../src/model/samples/sample-choice.ts";
import { FIXTURES, readFixture } from "./fixtures.ts";

const SPLITS = 50;
/** Of a recording with fewer, all are kept. */
const REQUESTS_MIN = 30;
const REQUESTS_MAX = 2000;
const RECORDINGS = 20;
const OF_TOOL_MAX = 3;
/** So little that texts are cut and requests lose their places. */
const BYTES_MAX = 24 * 1024;

type Offered = readonly [label: number, request: UnreadRequest];

/** All requests that a decoder would keep if there were room for all. */
function offeredBy(bytes: Uint8Array): { labels: readonly string[]; offered: Offered[] } {
  const offered: Offered[] = [];
  const everything: SampleSink["samples"] = {
    slowestFrom: new Float64Array(0),
    nameOf: () => "",
    wants: () => true,
    add: (label, request) => void offered.push([label, request]),
  };
  const collector = new MeasurementCollector();
  const sink = new Proxy(collector, {
    get: (target, name) => {
      const value: unknown = name === "samples" ? everything : Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
  const format = detectFormat(bytes.subarray(0, 64 * 1024), FORMATS);
  const decoder = format.open(sink, { timeZone: "UTC", startedAtMs: 1_795_232_600_000 });
  decoder.push(bytes);
  decoder.end();
  return { labels: decoder.labels, offered };
}

function keptOf(parts: readonly Offered[], labels: readonly string[], takeEach = Infinity) {
  const recorder = new SampleRecorder({ bytesMax: BYTES_MAX });
  recorder.nameOf = (label) => labels[label] as string;
  const taken: LabelledSample[] = [];
  for (const [at, [label, request]] of parts.entries()) {
    if (recorder.wants(label, request, request.kind)) recorder.add(label, request);
    if (at % takeEach === takeEach - 1) taken.push(...(recorder.take() ?? []));
  }
  return [...taken, ...(recorder.take() ?? [])];
}

const random = seededRandom(45);
const below = (limit: number): number => Math.floor(random() * limit);

function shuffled<Item>(items: readonly Item[]): Item[] {
  const all = [...items];
  for (let at = all.length - 1; at > 0; at--) {
    const other = below(at + 1);
    [all[at], all[other]] = [all[other] as Item, all[at] as Item];
  }
  return all;
}

/** Some of each tool. */
const chosen = Object.values(
  Object.groupBy(
    FIXTURES.filter(({ file, ending }) => ending !== "refused" && !file.endsWith(".gz")),
    ({ file }) => path.dirname(file),
  ),
).flatMap((ofTool = []) =>
  ofTool
    .map(({ file }) => ({ file, ...offeredBy(readFixture(file)) }))
    .filter(({ offered }) => offered.length >= REQUESTS_MIN)
    .slice(0, OF_TOOL_MAX),
);
const recordings = chosen
  .map((each) => ({ ...each, offered: each.offered.slice(0, REQUESTS_MAX) }))
  .slice(0, RECORDINGS);

test(`there are ${RECORDINGS} recordings`, () => {
  expect(recordings).toHaveLength(RECORDINGS);
});

test.each(recordings)(
  `${SPLITS} orders and splits of $file keep the same`,
  ({ labels, offered }) => {
    const whole = chooseSamples(keptOf(offered, labels), BYTES_MAX);
    expect(whole.length).toBeGreaterThan(4);
    for (let split = 0; split < SPLITS; split++) {
      const parts: Offered[][] = Array.from({ length: 1 + below(6) }, () => []);
      // Some twice: of a file that was sent again.
      const again = offered.filter(() => below(50) === 0);
      for (const each of shuffled([...offered, ...again])) parts[below(parts.length)]?.push(each);
      const kept = parts.map((part) => keptOf(part, labels, 1 + below(500)));
      const joined = chooseSamples(kept.slice(0, 2).flat(), BYTES_MAX);
      const all = shuffled([...joined, ...kept.slice(2).flat()]);
      expect(chooseSamples(all, BYTES_MAX)).toEqual(whole);
    }
  },
);
