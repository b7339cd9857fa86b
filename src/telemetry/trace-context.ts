import { randomBytes } from "node:crypto";
import type { Sampling } from "./telemetry-settings.ts";

export interface SpanIds {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
}

/** W3C Trace Context; later versions may have more at the end. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(?:$|-)/;
const ZEROS = /^0+$/;
/** Random bits of a trace id, as hex digits. */
const RANDOM_DIGITS = 13;

/** Ids of a request with this `traceparent`; `undefined` if it is not sampled. */
export function sampledIds(
  traceparent: string | undefined,
  { ratio, isParentBased }: Sampling,
): SpanIds | undefined {
  const parent = parentIn(traceparent);
  const traceId = parent?.traceId ?? randomBytes(16).toString("hex");
  const isSampled =
    parent !== undefined && isParentBased ? parent.isSampled : shareOf(traceId) < ratio;
  if (!isSampled) return undefined;
  return { traceId, spanId: randomBytes(8).toString("hex"), parentSpanId: parent?.spanId };
}

interface Parent {
  readonly traceId: string;
  readonly spanId: string;
  readonly isSampled: boolean;
}

function parentIn(traceparent: string | undefined): Parent | undefined {
  const [, traceId = "", spanId = "", flags = ""] = TRACEPARENT.exec(traceparent ?? "") ?? [];
  if (traceId === "" || ZEROS.test(traceId) || ZEROS.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

/** 0 to below 1, the same for all spans of a trace. */
function shareOf(traceId: string): number {
  return Number.parseInt(traceId.slice(-RANDOM_DIGITS), 16) / 16 ** RANDOM_DIGITS;
}
