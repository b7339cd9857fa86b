/**
 * The settings of a server that are whole numbers, as `serve` takes them: `targetBytesMax` is its
 * flag `--target-bytes-max`. What each one does in full stands in docs/api.md.
 */
export const SERVER_LIMITS = {
  targetBytesMax: "longest path and query of a request",
  headerBytesMax: "longest request line and headers together",
  headersTimeoutMs: "until the headers of a request are in",
  bodyStallMs: "a sender of a body that sends nothing for so long is given up",
  lingerMs: "after a refusal, what still comes is thrown away for so long",
  timeoutCheckMs: "how often the time of headers is checked",
  keepAliveMs: "how long an idle connection is kept; behind a proxy, more than the proxy keeps it",
  connectionsMax: "connections at once; a further one replaces a silent one, or is closed",
  connectionsPerAddressMax: "the same of one address; through a trusted proxy, requests at once",
  requestsPerConnectionMax: "requests on one connection; then it is closed",
  failedKeysMax: "wrong keys of one address in a minute; further ones get 429",
  stallMs: "a reader that takes less than 64 KB in this time is cut off",
  largeAnswersMax: "answers above 64 KB sent at once; further ones get 503",
  compressionsMax: "answers compressed at once; further ones are sent plain",
  answerCacheBytesMax: "memory for answers that are sent again; 0: none",
  uploadsMax: "uploads imported at once",
  uploadBytesPerSecondMin: "while others wait, slower uploads are given up; 0: none",
  waitingUploadsMax: "uploads of one key that wait; further ones are refused",
  writeBytesMax: "longest body of line protocol, as sent and inflated",
  heldBytesMax: "bodies of batches and lines held until they are stored; further ones get 503",
  writesMax: "writes of line protocol taken in at once; further ones wait",
  labelsMax: "labels of one load test; of files, further ones count under (other)",
  freeBytesMin:
    "bytes of the disk that are left free; batches and files that would need them are refused",
  drainMs: "on closing, how long answers under way may take",
} as const;

/** Name of such a setting. */
export type ServerLimit = keyof typeof SERVER_LIMITS;
