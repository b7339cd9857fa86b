import { ID_FORM, idFrom } from "../../model/id.ts";
import type { Rejection } from "../../model/import-report.ts";
import type { FacetValues, SampleSink } from "../decoder.ts";
import { LineSamples, type LineSamplesOptions } from "./line-samples.ts";
import { timeDigitsOf } from "./line-samples.ts";
import { LineMeasurements } from "./line-measurements.ts";
import type { LinePoint } from "./line-point.ts";
import { LineRepeats } from "./line-repeats.ts";
import { LOAD_TEST_TAGS, type PointPlace } from "./point-values.ts";
import { PointReader } from "./point-reader.ts";
import { quoted } from "../quoted.ts";

/** Of all routers. */
const shared = new LineRepeats();

/** Each takes memory for its tables. */
const LOAD_TESTS_MAX = 32;

export interface LineRouterOptions extends LineSamplesOptions {
  /** For points that name none; `undefined`: they belong to none. */
  readonly loadTestId: string | undefined;
  /** Values of the facets of a load test so far. @default none */
  readonly facetValuesOf?: ((loadTestId: string | undefined) => FacetValues) | undefined;
  /** Called once per load test; `name` is as written. */
  readonly sinkOf: (loadTestId: string | undefined, name: string | undefined) => SampleSink;
  /** @default that of all routers */
  readonly repeats?: LineRepeats | undefined;
  /** `loadTestId`: the one that the line names, if it can be read. */
  readonly reject: (rejection: Rejection, loadTestId: string | undefined) => void;
}

interface Placed {
  readonly point: LinePoint;
  readonly place: PointPlace;
  /** Of the load test, as written. */
  readonly name?: string;
}

export interface RouterNote {
  readonly loadTestId: string | undefined;
  readonly note: string;
}

/** Decodes line protocol of several load tests. */
export class LineRouter {
  /** By load test; of points that belong to none, by `undefined`. */
  readonly loadTests: ReadonlyMap<string | undefined, LineSamples>;
  readonly #measurements = new LineMeasurements();
  readonly #repeats: LineRepeats;
  readonly #loadTests = new Map<string | undefined, LineSamples>();
  readonly #options: LineRouterOptions;
  readonly #reader: PointReader;
  /** Of the last point, if it cannot be used. */
  #refusedFor: string | undefined;

  constructor(options: LineRouterOptions) {
    this.loadTests = this.#loadTests;
    this.#options = options;
    this.#repeats = options.repeats ?? shared;
    this.#reader = new PointReader({
      repeats: this.#repeats,
      take: (...point) => this.#take(...point),
      timeDigits: timeDigitsOf(options),
      samplesOf: (id) => this.#loadTests.get(id ?? options.loadTestId),
      isKnown: (point) => this.#measurements.isKnown(point),
      reject: (rejection) => this.#reject(rejection),
    });
  }

  get measuredPoints(): number {
    return this.#measurements.measuredPoints;
  }

  /** Whether a point has no timestamp, so that it counts at its arrival. */
  get usesArrival(): boolean {
    return [...this.#loadTests.values()].some((samples) => samples.usesArrival);
  }

  push(bytes: Uint8Array): void {
    this.#reader.push(bytes);
  }

  /** Must be called once; nothing may be pushed afterwards. Returns notes. */
  end(): readonly RouterNote[] {
    const truncatedAt = this.#reader.end();
    if (truncatedAt !== undefined) this.#reject(truncatedAt);
    const measured = this.#measurements.notes();
    return [...this.#loadTests].flatMap(([loadTestId, samples]) => {
      const notes = [...samples.end(), ...measured];
      samples.release();
      return notes.map((note) => ({ loadTestId, note }));
    });
  }

  #reject(rejection: Rejection): void {
    this.#options.reject(rejection, this.#refusedFor ?? this.#options.loadTestId);
    this.#refusedFor = undefined;
  }

  #take(point: LinePoint, place: PointPlace): string | undefined {
    const tag = LOAD_TEST_TAGS.find((name) => point.tag(name) !== undefined);
    if (tag === undefined) return this.#takeFor(undefined, { point, place });
    const name = point.text(point.tag(tag));
    const id = idFrom(name);
    if (id === undefined) {
      return `cannot use the tag ${tag}: got ${quoted(name)}, want ${ID_FORM}`;
    }
    if (!this.#loadTests.has(id) && this.#loadTests.size === LOAD_TESTS_MAX) {
      return `cannot use the tag ${tag}: points of ${LOAD_TESTS_MAX} load tests came before`;
    }
    return this.#takeFor(id, { point, place, name });
  }

  #takeFor(id: string | undefined, { point, place, name }: Placed): string | undefined {
    const complaint = this.#samplesOf(id ?? this.#options.loadTestId, name).take(point, place);
    this.#refusedFor = complaint === undefined ? undefined : id;
    if (complaint === undefined && this.#measurements.isK6(point)) this.#repeats.learn(point, id);
    return complaint;
  }

  #samplesOf(id: string | undefined, name = id): LineSamples {
    const known = this.#loadTests.get(id);
    if (known !== undefined) return known;
    const sink = this.#options.sinkOf(id, name);
    const values = this.#options.facetValuesOf?.(id);
    const facets = { ...this.#options.facets, values };
    const samples = new LineSamples(sink, this.#measurements, { ...this.#options, facets });
    this.#loadTests.set(id, samples);
    return samples;
  }
}
