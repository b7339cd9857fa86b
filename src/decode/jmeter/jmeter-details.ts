import type { FailureKind } from "../../model/failures.ts";
import type { RequestDetails, SampleTimes } from "../../model/samples/request-sample.ts";
import type { FieldName } from "./jmeter-fields.ts";

const MICROS_PER_MILLI = 1000;

/** Details of a row. `textOf`: of a field, empty if there is none. `kind`: of a failed one. */
export function jmeterDetails(
  { timeMs, elapsedMicros }: SampleTimes,
  kind: FailureKind | undefined,
  textOf: (name: FieldName) => string,
): RequestDetails {
  const whole = (name: FieldName, factor: number): number | undefined => {
    const text = textOf(name);
    const value = Math.round(Number(text) * factor);
    return text !== "" && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
  };
  return {
    timeMs,
    elapsedMicros,
    ...kind,
    generator: textOf("hostname"),
    thread: textOf("threadName"),
    latencyMicros: whole("latency", MICROS_PER_MILLI),
    connectMicros: whole("connect", MICROS_PER_MILLI),
    idleMicros: whole("idle", MICROS_PER_MILLI),
    sentBytes: whole("sentBytes", 1),
    receivedBytes: whole("bytes", 1),
  };
}

/** Elements of a sample with what was sent and received, by their names. */
const DETAIL_ELEMENTS = {
  "java.net.URL": "url",
  method: "method",
  responseHeader: "responseHeaders",
  requestHeader: "requestHeaders",
  responseData: "responseBody",
  queryString: "requestBody",
} as const;

/** Members of details by the name of an element within a sample. */
export const DETAIL_OF_ELEMENT: ReadonlyMap<string, keyof RequestDetails> = new Map(
  Object.entries(DETAIL_ELEMENTS),
);
