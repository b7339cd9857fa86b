/** One run of a load generator, as the store knows it. */
export interface LoadTest {
  /** 1 to 128 characters of `A-Z a-z 0-9 . _ -`; `042` and `42` are different ids. */
  readonly id: string;
  /** What people call it; the id where nothing else was given. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly createdAtMs: number;
}

/** A name that a source gives its requests, as stored: what every answer is grouped by. */
export interface Endpoint {
  /** Number within its load test and store; never shown to users. */
  readonly number: number;
  /** Exact text; the empty label is legal. */
  readonly label: string;
}

const LOAD_TEST_ID = /^[A-Za-z0-9._-]{1,128}$/;

export function isLoadTestId(text: string): boolean {
  return LOAD_TEST_ID.test(text);
}
