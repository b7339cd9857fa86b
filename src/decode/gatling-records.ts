import { OTHER_FAILURES } from "../model/failures.ts";
import { DamagedRecord, type GatlingFields } from "./gatling-fields.ts";
import { GROUP_SEPARATOR, type GatlingSamples } from "./gatling-samples.ts";

/** The first byte of a record. */
const RUN = 0;
const REQUEST = 1;
const USER = 2;
const GROUP = 3;
const ERROR = 4;

/** Reads the records of a binary log, of which the first one is the run's, whole or not at all. */
export class GatlingRecords {
  readonly #fields: GatlingFields;
  readonly #samples: GatlingSamples;
  /** When the run began: all times count from there. */
  #startMs: number | undefined;
  readonly #labels = new Map<string, number>();

  constructor(fields: GatlingFields, samples: GatlingSamples) {
    this.#fields = fields;
    this.#samples = samples;
  }

  /** Reads one record. Returns why it cannot be recorded. Throws what its fields throw. */
  read(): string | undefined {
    const kind = this.#fields.byte();
    if (this.#startMs === undefined) return this.#readRun();
    switch (kind) {
      case REQUEST:
        return this.#readRequest(this.#startMs);
      case USER:
        return this.#readUser(this.#startMs);
      case GROUP:
        return this.#readGroup();
      case ERROR:
        return this.#readError();
      case RUN:
        throw new DamagedRecord("a second run begins, or a hole of zeros");
      default:
        throw new DamagedRecord(`unknown kind of record: got ${kind}, want 1 to 4`);
    }
  }

  /** Version, class, start, description, scenarios and assertions. */
  #readRun(): undefined {
    const fields = this.#fields;
    fields.text();
    fields.text();
    const startMs = fields.instantMs();
    fields.text();
    for (let rest = fields.listLength(); rest > 0; rest--) fields.text();
    for (let rest = fields.listLength(); rest > 0; rest--) fields.skipBytes();
    this.#startMs = startMs;
  }

  #readRequest(runStartMs: number): string | undefined {
    const fields = this.#fields;
    const path = this.#readTexts(fields.listLength());
    path.push(fields.textIndex());
    const startMs = runStartMs + fields.int32();
    const endMs = runStartMs + fields.int32();
    const isPassed = fields.flag();
    const message = fields.textIndex();
    const label = this.#label(path);
    if (label === undefined) return "its name is not known: the log has too many different texts";
    const failure = isPassed ? undefined : (fields.textAt(message) ?? OTHER_FAILURES.message);
    return this.#samples.request(label, startMs, endMs, failure);
  }

  #readUser(runStartMs: number): string | undefined {
    const fields = this.#fields;
    fields.int32();
    const isStart = fields.flag();
    return this.#samples.user(isStart, runStartMs + fields.int32());
  }

  /** Path, start, end, cumulated response time and outcome. */
  #readGroup(): undefined {
    const fields = this.#fields;
    this.#readTexts(fields.listLength());
    fields.skip(12);
    fields.flag();
  }

  #readError(): undefined {
    this.#fields.textIndex();
    this.#fields.int32();
    this.#samples.error();
  }

  #readTexts(count: number): number[] {
    const texts: number[] = [];
    for (let rest = count; rest > 0; rest--) texts.push(this.#fields.textIndex());
    return texts;
  }

  /** `undefined` where a text of the path is not kept. */
  #label(path: readonly number[]): number | undefined {
    const key = path.join();
    const known = this.#labels.get(key);
    if (known !== undefined) return known;
    const texts = path.map((index) => this.#fields.textAt(index));
    if (texts.includes(undefined)) return undefined;
    const group = Buffer.from(texts.slice(0, -1).join(GROUP_SEPARATOR));
    const label = this.#samples.labelOf(group, Buffer.from(texts.at(-1) ?? ""));
    if (!this.#samples.labels.isOther(label)) this.#labels.set(key, label);
    return label;
  }
}
