/** The answer of a transaction controller; JMeter's own reports know it by these words, too. */
const TRANSACTION = Buffer.from("Number of samples in transaction : ");

/** The bytes at `[from, to)`. */
export interface FieldAt {
  readonly bytes: Uint8Array;
  readonly from: number;
  readonly to: number;
}

/**
 * What a row of JMeter's says that it is by its message and its type of data, where a source has
 * them: a `transaction` sums up other rows. A `bare` one has neither, as a transaction that was
 * interrupted, but others can be like that, too.
 */
export function rowKind(
  message: FieldAt | undefined,
  type: FieldAt | undefined,
): "transaction" | "bare" | "other" {
  if (message === undefined) return "other";
  if (message.from < message.to) return isTransaction(message) ? "transaction" : "other";
  return type === undefined || type.from === type.to ? "bare" : "other";
}

function isTransaction({ bytes, from, to }: FieldAt): boolean {
  if (to - from < TRANSACTION.length) return false;
  for (let at = 0; at < TRANSACTION.length; at++) {
    if (bytes[from + at] !== TRANSACTION[at]) return false;
  }
  return true;
}
