import { LruCache } from "../concurrency/lru-cache.ts";
import type { ImportTarget } from "../import/ensure-load-test.ts";
import type { MeasurementBatch } from "../model/data-points.ts";
import { dividedEntries } from "../model/samples/child-spans.ts";
import {
  kindOfSample,
  type LabelledSample,
  readAtOnce,
  type RequestSample,
} from "../model/samples/request-sample.ts";
import { SampleChoice } from "../model/samples/sample-choice.ts";
import type { PointBatch } from "../store/store.ts";
import { appendFitting, type AppendedBatch } from "./append-fitting.ts";

/** Load tests that are remembered, and the most series of each; beyond it, a load test starts over. */
const [RUNS_MAX, SERIES_MAX] = [32, 20_000];

/** Calls after which a choice forgets samples that it no longer needs. */
const ASKED_MAX = 5000;

/**
 * Drops samples of live batches that can no longer be chosen because better ones were stored since the process started. A long run
 * therefore stores ever fewer samples, and the final choice stays the same (`sample-choice.ts`).
 */
export class LiveSamples {
  readonly #bytesMax: number;
  readonly #runs = new LruCache<string, StoredChoice>(RUNS_MAX);

  /** Of the texts of a run. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** Appends a batch, see `appendFitting`. */
  async append(store: ImportTarget, batch: PointBatch & MeasurementBatch): Promise<AppendedBatch> {
    if (batch.samples === undefined) return appendFitting(store, batch);
    const { createdAtMs } = (await store.loadTests.find(batch.loadTestId)) ?? {};
    const run = `${createdAtMs} ${batch.loadTestId}`;
    const { samples: given, spans } = dividedEntries(batch.samples);
    const samples = this.wanted(run, given);
    const appended = await appendFitting(store, { ...batch, samples: [...samples, ...spans] });
    if (appended.refusal === undefined) this.stored(run, samples);
    return appended;
  }

  /** `run`: another one after a load test was deleted and created again. */
  wanted(run: string, samples: readonly LabelledSample[]): readonly LabelledSample[] {
    const choice = this.#choiceOf(run);
    return samples.filter((sample) => choice.wants(sample));
  }

  /** Call with those that are stored. */
  stored(run: string, samples: readonly LabelledSample[]): void {
    const choice = this.#choiceOf(run);
    for (const sample of samples) choice.add(sample);
  }

  #choiceOf(run: string): StoredChoice {
    const known = this.#runs.get(run);
    if (known !== undefined && known.seriesCount <= SERIES_MAX) return known;
    const opened = new StoredChoice(this.#bytesMax);
    this.#runs.set(run, opened);
    return opened;
  }
}

/** Remembers samples without their texts. */
class StoredChoice {
  readonly #names: string[] = [];
  readonly #series = new Map<string, number>();
  readonly #choice: SampleChoice;
  #asked = 0;

  constructor(bytesMax: number) {
    this.#choice = new SampleChoice(bytesMax, (series) => this.#names[series] ?? "");
  }

  get seriesCount(): number {
    return this.#names.length;
  }

  wants(sample: LabelledSample): boolean {
    const series = this.#series.get(sample.label);
    this.#tidy();
    return series === undefined || this.#choice.wants(series, sample, kindOfSample(sample));
  }

  add({ label, timeMs, elapsedMicros, code, message, hash }: LabelledSample): void {
    const series = this.#series.get(label) ?? this.#names.push(label) - 1;
    this.#series.set(label, series);
    const times: RequestSample = { timeMs, elapsedMicros, code, message, hash };
    this.#choice.add(series, readAtOnce(times), () => times);
    this.#tidy();
  }

  #tidy(): void {
    this.#asked += 1;
    if (this.#asked < ASKED_MAX) return;
    this.#asked = 0;
    this.#choice.choose();
  }
}
