import { snappyUncompress } from "hyparquet/src/snappy.js";
import { Semaphore } from "../../concurrency/semaphore.ts";
import { Yielder } from "../../concurrency/yielder.ts";
import type { MetricPoint, PointFault } from "../../decode/otlp/metric-points.ts";
import {
  LOAD_TEST_LABELS,
  pointsOf,
  readSeries,
  readSymbols,
  type RemoteWriteForm,
  SERIES_LIMITS,
  type WrittenSeries,
} from "../../decode/remote-write/read-write-request.ts";
import { badParameter, UserError } from "../../model/errors.ts";
import { ID_FORM, isId } from "../../model/id.ts";
import type { LiveTarget } from "../live-target.ts";
import { REMOTE_WRITE_SOURCES } from "./otlp-body.ts";
import type { WriteOtlp } from "./write-otlp.ts";

export interface RemoteWrite {
  /** `undefined`: a label of each series names its load test. */
  readonly target: LiveTarget | undefined;
  readonly form: RemoteWriteForm;
  /** One block of Snappy. */
  readonly body: Uint8Array;
}

export interface RemoteWriteReport {
  /** Lower bound of the samples that were stored or carried no value; a rejected value may have been a sample or part of a histogram. */
  readonly samples: number;
  readonly histograms: number;
  /** Samples and values of histograms that are not stored. */
  readonly rejected: number;
  /** Why, and what else is not shown as it was sent. */
  readonly remarks: readonly string[];
  /** Those written to; `undefined` is an environment. */
  readonly loadTestIds: readonly (string | undefined)[];
}

/** Writes what can be stored; durable and visible when the promise resolves. Throws `bad-batch`, `bad-parameter`, and what `WriteOtlp` throws. */
export type WriteRemote = (write: RemoteWrite) => Promise<RemoteWriteReport>;

/** Of a body, uncompressed. */
const BYTES_MAX = 8 * 1024 * 1024;

/** Bodies that are uncompressed at once, of all projects. */
const uncompressed = new Semaphore({ max: 4 });

/** Load tests that the labels of one body may name. */
const LOAD_TESTS_MAX = 20;

export function createRemoteWriter(writeOtlp: WriteOtlp): WriteRemote {
  return ({ target, form, body: block }) =>
    uncompressed.run("", async () => {
      const body = decompressSnappy(block, BYTES_MAX);
      const symbols = await symbolsOf(body, form);
      const series = () => readSeries(body, form, symbols);
      const survey = await surveyOf(series(), target !== undefined);
      const source = survey.hasOnlyFigures ? REMOTE_WRITE_SOURCES[0] : REMOTE_WRITE_SOURCES[1];
      const targets: readonly LiveTarget[] =
        target === undefined
          ? [...survey.loadTests].map((loadTestId) => ({ loadTestId }))
          : [target];
      const { samples, histograms, unnamed, tooLong } = survey;
      let rejected = 0;
      const remarks = unnamed === 0 ? [] : [`samples without a load test: ${unnamed} (${NAMING})`];
      if (tooLong > 0) {
        remarks.push(`series of over ${SERIES_LIMITS}, which are not stored: ${tooLong}`);
      }
      for (const each of targets) {
        const points = pointsFor(series(), target === undefined ? each.loadTestId : undefined);
        const report = await writeOtlp({
          target: each,
          signal: "remote-write",
          body,
          points,
          source,
        });
        rejected += report.rejected;
        remarks.push(...report.remarks);
      }
      return {
        samples: Math.max(0, samples - rejected),
        histograms: Math.max(0, histograms - rejected),
        rejected: rejected + unnamed + tooLong,
        remarks,
        loadTestIds: targets.map(({ loadTestId }) => loadTestId),
      };
    });
}

const NAMING = `want the header X-Load-Test or X-Environment, or a label load_test or testid with ${ID_FORM}`;

interface Survey {
  samples: number;
  histograms: number;
  /** Samples and histograms, not among the others, that no label assigns to a load test. */
  unnamed: number;
  /** Series that are not read. */
  tooLong: number;
  readonly loadTests: Set<string>;
  /** Whether there are figures of k6's requests, such as their p99, instead of requests. */
  hasOnlyFigures: boolean;
}

/** Figures of requests, which k6 sends by default, and their histogram. */
const K6_FIGURE = /^k6_http_req_duration_(?!seconds$)/;

async function symbolsOf(body: Uint8Array, form: RemoteWriteForm): Promise<readonly string[]> {
  const symbols: string[] = [];
  const yielder = new Yielder();
  for (const symbol of readSymbols(body, form)) {
    symbols.push(symbol);
    if (yielder.isDue()) await yielder.next();
  }
  return symbols;
}

async function surveyOf(
  all: Iterable<WrittenSeries | "too-long">,
  isAssigned: boolean,
): Promise<Survey> {
  const survey: Survey = {
    samples: 0,
    histograms: 0,
    unnamed: 0,
    tooLong: 0,
    loadTests: new Set(),
    hasOnlyFigures: false,
  };
  const yielder = new Yielder();
  for (const series of all) {
    if (yielder.isDue()) await yielder.next();
    if (series === "too-long") {
      survey.tooLong += 1;
      continue;
    }
    const { name, loadTest, samples, histograms } = series;
    survey.hasOnlyFigures ||= K6_FIGURE.test(name);
    if (!isAssigned && (loadTest === undefined || !isId(loadTest))) {
      survey.unnamed += samples.length + histograms.length;
      continue;
    }
    survey.samples += samples.length;
    survey.histograms += histograms.length;
    if (isAssigned || loadTest === undefined) continue;
    if (survey.loadTests.add(loadTest).size > LOAD_TESTS_MAX) {
      throw badParameter(
        `labels of one body name more than ${LOAD_TESTS_MAX} load tests: send smaller bodies`,
      );
    }
  }
  return survey;
}

/** `loadTest`: only of series whose label names it. */
function* pointsFor(
  all: Iterable<WrittenSeries | "too-long">,
  loadTest: string | undefined,
): Generator<MetricPoint | PointFault | undefined> {
  for (const series of all) {
    if (series === "too-long") yield undefined;
    else if (loadTest === undefined) yield* pointsOf(series);
    else if (series.loadTest === loadTest) {
      const tags = series.tags.filter(([name]) => !LOAD_TEST_LABELS.includes(name));
      yield* pointsOf({ ...series, tags });
    } else yield undefined;
  }
}

const VARINT_BYTES_MAX = 5;

/** Decompresses a block of Snappy, which begins with its length. Throws `bad-batch`. */
function decompressSnappy(block: Uint8Array, bytesMax: number): Uint8Array {
  const length = lengthOf(block);
  if (length > bytesMax) {
    throw new UserError(
      "bad-batch",
      `the body is too large: ${length} bytes uncompressed, want at most ${bytesMax}; send fewer series at once`,
    );
  }
  requireLiterals(block);
  const bytes = new Uint8Array(length);
  try {
    snappyUncompress(block, bytes);
  } catch {
    throw notSnappy();
  }
  return bytes;
}

function lengthOf(block: Uint8Array): number {
  let length = 0;
  for (const [at, byte] of block.subarray(0, VARINT_BYTES_MAX).entries()) {
    length += (byte & 0x7f) * 2 ** (7 * at);
    if (byte < 0x80) return length;
  }
  throw notSnappy();
}

/** Throws `bad-batch` for a literal of more bytes than the block has: with one of 2^31 and more, `snappyUncompress` never ends. */
function requireLiterals(block: Uint8Array): void {
  let at = 1 + block.findIndex((byte) => byte < 0x80);
  while (at < block.length) {
    const tag = block[at++] as number;
    const kind = tag & 3;
    if (kind !== 0) {
      at += kind === 3 ? 4 : kind;
      continue;
    }
    let bytes = tag >>> 2;
    if (bytes >= 60) {
      const size = bytes - 59;
      bytes = 0;
      for (let each = size; each > 0; each--) bytes = bytes * 256 + (block[at + each - 1] ?? 0);
      at += size;
    }
    if (bytes >= block.length) throw notSnappy();
    at += bytes + 1;
  }
}

function notSnappy(): UserError {
  return new UserError("bad-batch", "cannot decompress the body: want one block of Snappy");
}
