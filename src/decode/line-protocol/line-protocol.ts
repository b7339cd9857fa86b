import { LINE_PROTOCOL } from "./about.ts";
import type { FailureKind } from "../../model/failures.ts";
import type { Rejection } from "../../model/import-report.ts";
import type { Role } from "../../model/role.ts";
import type { DecodeEnd, DecodeOptions, Decoder, Format, SampleSink } from "../decoder.ts";
import { LineMeasurements } from "./line-measurements.ts";
import { LinePoint } from "./line-point.ts";
import { LineRepeats } from "./line-repeats.ts";
import { PointReader } from "./point-reader.ts";
import { LineSamples, timeDigitsOf } from "./line-samples.ts";

/** Files of InfluxDB line protocol as sent by k6 and JMeter: docs/internals/formats/line-protocol.md. */
export const lineProtocol: Format = {
  ...LINE_PROTOCOL,
  recognises: isLineProtocol,
  open: (sink, options) => new LineProtocolDecoder(sink, options),
};

/** Of all files, in which load test tags mean nothing. */
const repeats = new LineRepeats();

/** Lines of the head to check: a source can begin within a line. */
const LINES_LOOKED_AT = 10;

/** In ns. */
const DIGITS_MAX = 19;
const TIMESTAMP = /^(?:\d{10}|\d{13}|\d{16}|\d{19})$/;

/** Whether one of the first lines is a point with a current timestamp. */
function isLineProtocol(head: Uint8Array): boolean {
  const buffer = Buffer.from(head);
  const point = new LinePoint();
  let from = 0;
  for (let line = 0; line < LINES_LOOKED_AT && from < buffer.length; line++) {
    const end = buffer.indexOf("\n", from);
    const to = end < 0 ? buffer.length : end;
    if (point.read(buffer, from, to) === "point" && TIMESTAMP.test(point.time.toString()))
      return true;
    from = to + 1;
  }
  return false;
}

class LineProtocolDecoder implements Decoder {
  readonly labels: readonly string[];
  readonly failureKinds: readonly FailureKind[];
  readonly generators: readonly string[];
  readonly #samples: LineSamples;
  readonly #measurements = new LineMeasurements();
  readonly #reader: PointReader;
  /** Digits of the last timestamp: a sender uses one unit. */
  #timeDigits = 0;

  constructor(sink: SampleSink, { lineProtocol: options = {}, labels, facets }: DecodeOptions) {
    const measurements = this.#measurements;
    const samples = new LineSamples(sink, measurements, { ...options, labels, facets });
    this.labels = samples.labels;
    this.failureKinds = samples.failureKinds;
    this.generators = samples.generators;
    this.#samples = samples;
    this.#reader = new PointReader({
      repeats,
      take: (point, place) => {
        this.#timeDigits = point.time.length;
        const complaint = samples.take(point, place);
        if (complaint === undefined && measurements.isK6(point)) repeats.learn(point, undefined);
        return complaint;
      },
      timeDigits: timeDigitsOf(options),
      samplesOf: () => (this.#timeDigits === 0 ? undefined : samples),
      isKnown: (point) => measurements.isKnown(point),
      // Truncated nanoseconds can look like milliseconds.
      isWhole: ({ time: { length } }) => length === this.#timeDigits || length === DIGITS_MAX,
      reject: (rejection: Rejection) => sink.reject(rejection),
    });
  }

  roleOf(label: number): Role {
    return this.#samples.roleOf(label);
  }

  push(bytes: Uint8Array): void {
    this.#reader.push(bytes);
  }

  flush(): void {
    this.#samples.flush();
  }

  end(): DecodeEnd {
    const truncatedAt = this.#reader.end();
    const notes = [...this.#samples.end(), ...this.#measurements.notes()];
    const { events, measurements } = this.#samples;
    return {
      truncatedAt,
      notes,
      events,
      ...(measurements.length > 0 && { quality: { measurements } }),
    };
  }
}
