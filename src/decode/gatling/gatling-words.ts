/** The words of Gatling's text logs, as bytes. */
export const GATLING_WORDS = {
  run: Buffer.from("RUN"),
  assertion: Buffer.from("ASSERTION"),
  user: Buffer.from("USER"),
  request: Buffer.from("REQUEST"),
  group: Buffer.from("GROUP"),
  error: Buffer.from("ERROR"),
  start: Buffer.from("START"),
  end: Buffer.from("END"),
  passed: Buffer.from("OK"),
  failed: Buffer.from("KO"),
  /** The smallest Long, for a time that is not known. */
  never: Buffer.from("-9223372036854775808"),
} as const;
