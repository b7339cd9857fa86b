/**
 * The failed part of one row. A row that stands for several requests of which only some failed does
 * not say whose time and bytes are whose: the failed ones get their share, rounded half up.
 * One instance is written again and again, so that no row allocates.
 */
export class FailedShare {
  requests = 0;
  elapsedMicros = 0;
  receivedBytes = 0;

  /** The share of `failed` (1 to `requests`) of `requests` requests in a row's sums. */
  of(failed: number, requests: number, elapsedMicros: number, receivedBytes: number): this {
    this.requests = failed;
    this.elapsedMicros =
      failed === requests ? elapsedMicros : share(elapsedMicros, failed, requests);
    this.receivedBytes =
      failed === requests ? receivedBytes : share(receivedBytes, failed, requests);
    return this;
  }
}

function share(sum: number, part: number, whole: number): number {
  const twice = 2n * BigInt(whole);
  return Number((2n * BigInt(sum) * BigInt(part) + BigInt(whole)) / twice);
}
