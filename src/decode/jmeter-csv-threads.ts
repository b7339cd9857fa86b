import type { SampleBatch } from "../model/sample-batch.ts";
import type { JmeterColumns } from "./jmeter-csv-columns.ts";
import { endSecondOf, type JmeterExtras } from "./jmeter-extras.ts";

/** What a plain row says about active threads, gathered on the way through it. */
export class JmeterPlainThreads {
  /** Whether rows say anything about them. */
  readonly areTold: boolean;
  active = 0;
  /** Milliseconds of the row's timestamp within its second. */
  millis = 0;
  /** Where the name of the host is; empty where there is none. */
  hostFrom = 0;
  hostTo = 0;
  readonly #extras: JmeterExtras;
  /** The generator of rows without a host: in most files, of all. */
  #nameless: number | undefined;

  constructor({ allThreads }: JmeterColumns, extras: JmeterExtras) {
    this.areTold = allThreads !== undefined;
    this.#extras = extras;
  }

  /** Tells what was gathered for the row that is open in the batch. */
  tell(bytes: Uint8Array, batch: SampleBatch): void {
    const second = batch.second[batch.rows] as number;
    if (second === 0) return;
    const generator = this.#generator(bytes);
    const elapsedMicros = batch.elapsedMicros[batch.rows] as number;
    const endSecond = endSecondOf(second, this.millis, elapsedMicros);
    this.#extras.tellUsers(generator, endSecond, this.active);
  }

  #generator(bytes: Uint8Array): number {
    if (this.hostFrom < this.hostTo) {
      return this.#extras.generatorAt(bytes, this.hostFrom, this.hostTo);
    }
    this.#nameless ??= this.#extras.generatorAt(bytes, 0, 0);
    return this.#nameless;
  }
}
