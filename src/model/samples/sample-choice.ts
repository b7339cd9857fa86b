/**
 * Which requests are kept whole: of each series and kind of failure the first three and three spread over the run, and of
 * each series the five slowest.
 *
 * The choice of a set of requests does not depend on their order, nor on how they were split and chosen from before:
 * `choice(choice(A) + choice(B)) = choice(A + B)`.
 *
 * - A request is known by the hash of what is kept of it, so the same one twice is one. A list holds the least k of a total
 *   order that a request has by itself: (time, mix, hash), (mix, hash), or (-response time, mix, hash), where the mix is a hash
 *   of both times. Any of the least k of A + B is among the least k of its own part.
 * - Each request in a list takes a slot, and at most `bytesMax / 1024` slots are kept: those of the lowest rank, which is (place
 *   in the list, list, hash of the list's name) and does not depend on requests either. More requests only add slots. So a slot
 *   among the first N of A + B is among the first N of A if A has it at all, and so are the earlier places of its list: cutting
 *   lists of parts loses nothing that the whole keeps. For the same reason a list that was cut never grows again.
 * - Then the texts of each request are cut to `bytesMax / slots` bytes. More requests only add slots, so parts were cut to no
 *   less, and cutting twice is cutting to the smaller size (`fitSample`). All texts together have at most `bytesMax` bytes.
 */

import { type FailureKind, keyOfKind } from "../failures.ts";
import { grown, type SecondRange } from "../columns.ts";
import {
  compareSamples,
  fitSample,
  hashText,
  type LabelledSample,
  mixTimes,
  readAtOnce,
  type RequestSample,
  type SampleTimes,
  type UnreadRequest,
} from "./request-sample.ts";

/** What is kept of a source. Plain data: it goes to other threads. */
export interface SampleOptions {
  /** Of the texts of all samples; labels, codes and messages come on top. */
  readonly bytesMax: number;
  /** Regular expressions whose matches are secret, too. @default none */
  readonly redact?: readonly string[] | undefined;
  /** Of the start of a request. @default all */
  readonly seconds?: SecondRange | undefined;
}

/** Of the texts of a run; labels, codes and messages are those of endpoints and failures. */
export const SAMPLE_BYTES_DEFAULT = 4 * 1024 * 1024;

const SLOT_BYTES_MIN = 1024;

/** In the order in which they get slots. */
const LISTS = ["first", "slowest", "spread"] as const;
type ListName = (typeof LISTS)[number];
const PLACES: Readonly<Record<ListName, number>> = { first: 3, slowest: 5, spread: 3 };
const PLACES_MAX = Math.max(...Object.values(PLACES));

type Leading = (times: SampleTimes) => number;
const LEADING: Readonly<Record<ListName, Leading>> = {
  first: ({ timeMs }) => timeMs,
  slowest: ({ elapsedMicros }) => -elapsedMicros,
  spread: () => 0,
};

/** A request in lists. It is only made whole, which takes the longest, if it stays or meets one of the same times. */
class Candidate implements SampleTimes {
  readonly timeMs: number;
  readonly elapsedMicros: number;
  readonly mix: number;
  #sample: RequestSample | (() => RequestSample);

  constructor(times: SampleTimes, sample: RequestSample | (() => RequestSample)) {
    this.timeMs = times.timeMs;
    this.elapsedMicros = times.elapsedMicros;
    this.mix = mixTimes(times);
    this.#sample = sample;
  }

  get whole(): RequestSample {
    if (typeof this.#sample === "function") this.#sample = this.#sample();
    return this.#sample;
  }

  fit(bytesMax: number): void {
    this.#sample = fitSample(this.whole, bytesMax);
  }
}

/** The least of an order, ascending. */
class SampleList {
  readonly name: ListName;
  /** Rank among lists of the same kind. */
  readonly hash: number;
  samples: Candidate[] = [];
  /** Never rises. */
  places: number;

  constructor(name: ListName, hash: number, places: number = PLACES[name]) {
    this.name = name;
    this.hash = hash;
    this.places = places;
  }

  /** Whether one of these times may get a place. */
  wants(times: SampleTimes): boolean {
    const { places, samples, name } = this;
    if (samples.length < places) return true;
    const last = samples[places - 1];
    if (last === undefined) return false;
    // Without `LEADING`: this is asked for each failed request.
    const difference =
      name === "first"
        ? times.timeMs - last.timeMs
        : name === "slowest"
          ? last.elapsedMicros - times.elapsedMicros
          : 0;
    return difference < 0 || (difference === 0 && mixTimes(times) <= last.mix);
  }

  add(sample: Candidate): void {
    const leading = LEADING[this.name];
    let at = this.samples.length;
    for (; at > 0; at--) {
      const other = this.samples[at - 1] as Candidate;
      const times = leading(sample) - leading(other) || sample.mix - other.mix;
      if (times === 0 && sample.whole.hash === other.whole.hash) return;
      if ((times || sample.whole.hash - other.whole.hash) > 0) break;
    }
    this.samples.splice(at, 0, sample);
    if (this.samples.length > this.places) this.samples.length = this.places;
  }
}

/** Shared by all lists without a place: there may be very many. */
const NO_PLACE = new SampleList("slowest", 0, 0);

/** Chooses among requests of series, which have numbers from 0 on. */
export class SampleChoice {
  readonly #bytesMax: number;
  readonly #nameOf: (series: number) => string;
  /** Those with a place: of a million series, few. */
  readonly #slowest = new Map<number, SampleList>();
  /** By series: 1 if its slowest requests have no place. */
  #isOut: Uint8Array = new Uint8Array(64);
  readonly #failed = new Map<number, Map<string, readonly SampleList[]>>();
  /** All with a place, by series. */
  #lists: (readonly [series: number, list: SampleList])[] = [];
  /** Some of them, until the next `choose`. */
  readonly #known = new Map<number, Map<FailureKind, readonly SampleList[]>>();
  /** Lists with a hash from here on have no place. */
  readonly #out: Record<ListName, number> = {
    first: Infinity,
    slowest: Infinity,
    spread: Infinity,
  };
  /** Of samples added since the last `choose`. */
  #bytes = 0;
  /** Added since lists were cut. */
  #uncut = 0;

  /** See `SAMPLE_BYTES_DEFAULT`. `nameOf` is asked once for each series that has a sample. */
  constructor(bytesMax: number, nameOf: (series: number) => string) {
    this.#bytesMax = bytesMax;
    this.#nameOf = nameOf;
  }

  /** Whether a request may be chosen. */
  wants(series: number, times: SampleTimes, kind: FailureKind | undefined): boolean {
    const slowest = this.#slowestOf(series);
    if (slowest === undefined || slowest.wants(times)) return true;
    if (kind === undefined) return false;
    const [first, spread] = this.#known.get(series)?.get(kind) ?? this.#find(series, kind);
    return first === undefined || first.wants(times) || spread?.wants(times) === true;
  }

  /** `make` returns the sample of the request if it is needed. */
  add(series: number, request: UnreadRequest, make: () => RequestSample): void {
    this.#bytes += request.bytes;
    const candidate = new Candidate(request, make);
    for (const list of this.#listsOf(series, request.kind)) {
      if (list !== NO_PLACE) list.add(candidate);
    }
    this.#uncut += 1;
    // With a label for each request, nearly all that come are added.
    if (this.#uncut > 2 * this.#slotsMax) this.#cut();
  }

  /** Response time below which no passed request of the series is wanted. */
  slowestFrom(series: number): number {
    const list = this.#slowestOf(series);
    if (list === undefined || list.samples.length < list.places) return 0;
    return list.samples.at(-1)?.elapsedMicros ?? Infinity;
  }

  /** Whether `choose` is due to free memory. */
  get isMuch(): boolean {
    return this.#bytes > 2 * this.#bytesMax;
  }

  /** Makes those in lists whole, one a step: `choose` then takes little time. */
  *makeWhole(): Generator<void> {
    for (const [, { samples }] of this.#lists) {
      for (const sample of samples) {
        void sample.whole;
        yield;
      }
    }
  }

  /** Drops what is not chosen, and returns the rest, each sample once a series. */
  choose(): readonly (readonly [series: number, sample: RequestSample])[] {
    this.#cut();
    const slots = this.#lists.reduce((sum, [, { samples }]) => sum + samples.length, 0);
    const bytesEach = Math.floor(this.#bytesMax / Math.max(1, slots));
    const chosen = new Map<string, readonly [number, RequestSample]>();
    for (const [series, list] of this.#lists) {
      for (const sample of list.samples) {
        sample.fit(bytesEach);
        chosen.set(`${sample.whole.hash} ${series}`, [series, sample.whole]);
      }
    }
    this.#bytes = 0;
    return [...chosen.values()];
  }

  get #slotsMax(): number {
    return Math.floor(this.#bytesMax / SLOT_BYTES_MIN);
  }

  /** Drops what has no slot. */
  #cut(): void {
    this.#cutLists(this.#lists.map(([, list]) => list));
    for (const [series, list] of this.#lists) if (list.places === 0) this.#drop(series, list);
    this.#lists = this.#lists.filter(([, list]) => list.places > 0);
    this.#known.clear();
    this.#uncut = 0;
  }

  /** Lists of a kind, remembered by its object: decoders repeat them. Empty if there are none yet. */
  #find(series: number, kind: FailureKind): readonly SampleList[] {
    const found = this.#failed.get(series)?.get(keyOfKind(kind));
    if (found === undefined) return [];
    const ofSeries = this.#known.get(series) ?? new Map<FailureKind, readonly SampleList[]>();
    this.#known.set(series, ofSeries.set(kind, found));
    return found;
  }

  #listsOf(series: number, kind: FailureKind | undefined): readonly SampleList[] {
    const slowest = this.#slowestOf(series) ?? this.#openSlowest(series);
    if (kind === undefined) return [slowest];
    const key = keyOfKind(kind);
    const ofKinds = this.#failed.get(series) ?? new Map<string, readonly SampleList[]>();
    this.#failed.set(series, ofKinds);
    const found = ofKinds.get(key) ?? this.#openKind(series, `${key}\n${this.#nameOf(series)}`);
    ofKinds.set(key, found);
    return [slowest, ...found];
  }

  #slowestOf(series: number): SampleList | undefined {
    return this.#isOut[series] === 1 ? NO_PLACE : this.#slowest.get(series);
  }

  #openSlowest(series: number): SampleList {
    const list = this.#open("slowest", series, this.#nameOf(series));
    if (list === NO_PLACE) this.#leaveOut(series);
    else this.#slowest.set(series, list);
    return list;
  }

  #leaveOut(series: number): void {
    if (series >= this.#isOut.length) this.#isOut = grown(this.#isOut, series + 1);
    this.#isOut[series] = 1;
    this.#slowest.delete(series);
  }

  #openKind(series: number, name: string): readonly SampleList[] {
    return [this.#open("first", series, name), this.#open("spread", series, name)];
  }

  #open(kind: ListName, series: number, name: string): SampleList {
    const hash = hashText(name);
    if (hash >= this.#out[kind]) return NO_PLACE;
    const list = new SampleList(kind, hash);
    this.#lists.push([series, list]);
    return list;
  }

  /** Keeps the slots of the lowest rank. */
  #cutLists(lists: readonly SampleList[]): void {
    let left = this.#slotsMax;
    for (let place = 0; place < PLACES_MAX; place++) {
      for (const name of LISTS) {
        const taking = lists.filter((list) => list.name === name && list.samples.length > place);
        if (taking.length <= left) {
          left -= taking.length;
          continue;
        }
        const cut = taking.toSorted((one, other) => one.hash - other.hash).slice(left);
        for (const list of cut) {
          list.places = Math.min(list.places, place);
          list.samples.length = list.places;
        }
        if (place === 0) this.#out[name] = Math.min(this.#out[name], cut[0]?.hash ?? Infinity);
        left = 0;
      }
    }
  }

  #drop(series: number, list: SampleList): void {
    if (list.name === "slowest") this.#leaveOut(series);
    for (const [key, lists] of this.#failed.get(series) ?? []) {
      const kept = lists.map((each) => (each === list ? NO_PLACE : each));
      if (lists.includes(list)) this.#failed.get(series)?.set(key, kept);
    }
  }
}

/** Chooses among samples of any parts of a run. By label, time and hash. */
export function chooseSamples(
  samples: Iterable<LabelledSample>,
  bytesMax: number,
): readonly LabelledSample[] {
  const labels: string[] = [];
  const numbers = new Map<string, number>();
  const choice = new SampleChoice(bytesMax, (series) => labels[series] as string);
  for (const { label, ...sample } of samples) {
    const number = numbers.get(label) ?? labels.push(label) - 1;
    numbers.set(label, number);
    choice.add(number, readAtOnce(sample), () => sample);
  }
  return choice
    .choose()
    .map(([series, sample]) => ({ label: labels[series] as string, ...sample }))
    .toSorted(compareSamples);
}
