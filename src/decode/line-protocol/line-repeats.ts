import { LINE_FEED } from "../bytes/ascii.ts";
import { Kernel } from "../../kernel/kernel-pool.ts";
import { linesModule } from "../../kernel/lines-module.ts";
import { BUILT_IN, type MetricKind, REQUESTS_METRIC } from "../k6/k6-metrics.ts";
import type { PlainSample } from "../k6/k6-samples.ts";
import { LABEL_BYTES_MAX } from "../decoder.ts";
import { headOf, type K6Head, type K6Metric } from "./line-k6.ts";
import type { LinePoint } from "./line-point.ts";
import type { LineSamples } from "./line-samples.ts";

/** Functions of kernel/lines. */
interface Functions {
  readLines(from: number, to: number, loadTest: number, timeDigits: number): number;
  useForm(length: number): void;
  learnMetric(length: number, kind: number): number;
  learnTags(from: number, length: number, label: number, flags: number): number;
  forgetTags(): void;
}

/** Cached heads: more than a load test has, in at most 8 MB. */
const HEADS_MAX = 4096;

/** As in kernel/lines/metrics.ts; lines of skipped metrics are not recorded. */
const KINDS: readonly MetricKind[] = ["request", "outcome", "users"];
const VALUE = 4;
const SKIPPED = 5;
/** By half their number in the kernel, where each is learnt twice. */
const METRICS: readonly K6Metric[] = BUILT_IN.map(([name, kind]) => ({ name, kind }));
/** Added to a sample whose time has a fraction of a second, in front of the number of its metric. */
const FINE = 0x100;
const METRIC_SHIFT = 17;
/** Flag of heads whose requests can be read. */
const READABLE = 1;
/** No load test; no room for a head. */
const NONE = 0xffffffff;
/** 32-bit words of a sample. */
const WORDS = 6;

/** A longer incomplete line, which has no cached head, is not copied with each chunk that follows. */
const REST_MAX = 4096;

/** Reads points of load tests. */
export interface RepeatingSource {
  /** Digits of all its times; 0: any. */
  readonly timeDigits: number;
  /** `undefined` before the first point of the load test, or of points without one. */
  samplesOf(loadTestId: string | undefined): LineSamples | undefined;
}

/** Up to which byte of the source lines were read, and how many. */
interface Taken {
  to: number;
  lines: number;
}

interface Head extends K6Head {
  readonly loadTestId: string | undefined;
}

/**
 * k6 writes about ten lines per request that differ in name and value only, and repeats them for each request of an address.
 * The kernel reads lines whose head (see `LinePoint.head`) equals that of an earlier point, of any source that
 * finds the load test of a point the same way.
 */
export class LineRepeats {
  /** Opened for the first head. */
  #kernel: Kernel<Functions> | undefined;
  /** By their number in the kernel. */
  #heads: Head[] = [];
  /** Number of the first head of each load test, which stands for it in the kernel. */
  readonly #loadTests = new Map<string | undefined, number>();
  /** Bytes in the kernel: their source, and their offsets in it. */
  #source: RepeatingSource | undefined;
  #from = 0;
  #to = 0;
  readonly #sample: PlainSample = { valueMillionths: 0, second: 0, nanos: 0, hasParts: false };

  /** Caches the head of a k6 point of this load test. */
  learn(point: LinePoint, loadTestId: string | undefined): void {
    const { head } = point;
    // Points of several lines do not end at their first line feed.
    if (head === undefined || head.includes(LINE_FEED)) return;
    const kernel = (this.#kernel ??= open());
    if (head.length > kernel.number("HEAD_BYTES_MAX")) return;
    kernel.write("HEAD", head);
    const k6 = headOf(point);
    // The place of each request with a shortened label is reported.
    if (k6.label.length > LABEL_BYTES_MAX) return;
    const loadTest = this.#loadTests.get(loadTestId) ?? this.#heads.length;
    const flags = k6.outcome === undefined ? 0 : READABLE;
    const at = kernel.number("HEAD");
    const number = kernel.functions.learnTags(at, head.length, loadTest, flags) >>> 0;
    if (number === NONE || number === HEADS_MAX) return this.#forget(kernel);
    this.#loadTests.set(loadTestId, loadTest);
    this.#heads[number] = { ...k6, loadTestId };
  }

  /** Gives the kernel a chunk, from byte `offset` of the source on, and the incomplete line in front of it. */
  offer(source: RepeatingSource, offset: number, [rest, chunk]: readonly [Uint8Array, Uint8Array]) {
    if (this.#kernel === undefined) return;
    const before = rest.length > REST_MAX ? rest.subarray(rest.length) : rest;
    this.#kernel.write("WINDOW", before);
    this.#kernel.write("WINDOW", chunk, before.length);
    this.#source = source;
    this.#from = offset - before.length;
    this.#to = offset + chunk.length;
  }

  /** Forgets the last chunk, and with it the tables of its source. */
  leave(): void {
    this.#source = undefined;
  }

  /** Handles the lines of the last chunk from byte `offset` on, up to one that must be read. */
  take(source: RepeatingSource, offset: number): Taken {
    const taken = { to: offset, lines: 0 };
    const kernel = this.#kernel;
    if (kernel === undefined || source !== this.#source || offset < this.#from) return taken;
    const base = kernel.number("WINDOW") - this.#from;
    let loadTest = NONE;
    let samples: LineSamples | undefined;
    do {
      const next = kernel.functions.readLines(
        base + taken.to,
        base + this.#to,
        loadTest,
        source.timeDigits,
      );
      if (samples !== undefined) this.#record(kernel, samples);
      taken.lines += kernel.number("linesRead");
      taken.to = next - base;
      loadTest = kernel.number("otherLoadTest") >>> 0;
      samples = loadTest === NONE ? undefined : source.samplesOf(this.#heads[loadTest]?.loadTestId);
    } while (samples !== undefined);
    return taken;
  }

  #record(kernel: Kernel<Functions>, samples: LineSamples): void {
    const count = kernel.number("samples");
    const words = kernel.words("SAMPLES", count * WORDS);
    const values = kernel.doubles("SAMPLES", (count * WORDS) / 2);
    const sample = this.#sample;
    for (let word = 0; word < words.length; word += WORDS) {
      const kind = words[word] as number;
      sample.second = words[word + 2] as number;
      sample.nanos = words[word + 3] as number;
      sample.valueMillionths = values[word / 2 + 2] as number;
      sample.hasParts = (kind & FINE) !== 0;
      const metric = METRICS[kind >>> METRIC_SHIFT] as K6Metric;
      const head = this.#heads[words[word + 1] as number] as Head;
      samples.takeAgain(metric, head, sample);
    }
  }

  #forget(kernel: Kernel<Functions>): void {
    kernel.functions.forgetTags();
    this.#heads = [];
    this.#loadTests.clear();
  }
}

/** A kernel for lines `metric head value time`. */
function open(): Kernel<Functions> {
  const kernel = new Kernel<Functions>(linesModule, { tags: { labelOf: () => NONE } });
  kernel.write("BEFORE_VALUE", Uint8Array.of(LINE_FEED));
  kernel.functions.useForm(1);
  for (const [name, kind] of BUILT_IN) {
    const number = name === REQUESTS_METRIC ? SKIPPED : kindOf(kind);
    for (const begin of [`${name},`, `${name} `]) {
      kernel.write("TEXT", Buffer.from(begin));
      kernel.functions.learnMetric(begin.length, number);
    }
  }
  return kernel;
}

function kindOf(kind: MetricKind): number {
  return kind === "other" ? VALUE : KINDS.indexOf(kind);
}
