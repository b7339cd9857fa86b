/** Phases of a request, in their order, and what they are called. */
export const PHASE_TITLES = [
  ["blockedMs", "blocked"],
  ["dnsMs", "DNS"],
  ["connectMs", "connect"],
  ["tlsMs", "TLS"],
  ["sendMs", "send"],
  ["waitMs", "wait"],
  ["receiveMs", "receive"],
  ["latencyMs", "first byte"],
  ["idleMs", "idle"],
] as const;

/** Texts of many lines. */
export const TEXT_TITLES = [
  ["requestHeaders", "Request headers"],
  ["requestBody", "Request body"],
  ["responseHeaders", "Response headers"],
  ["responseBody", "Response body"],
  ["exception", "Exception"],
] as const;

interface SpanTexts {
  readonly service: string;
  readonly operation: string;
  readonly elapsedMs: number;
  /** Of the time of the request. */
  readonly share?: number | undefined;
}

/** A span of the trace of a request in words. */
export function spanText({ service, operation, elapsedMs, share }: SpanTexts): string {
  const part = share === undefined ? "" : ` (${Math.round(share * 100)} %)`;
  return `${service}: ${operation}, ${elapsedMs} ms${part}`;
}
