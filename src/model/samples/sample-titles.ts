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
