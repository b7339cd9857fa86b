import { ELAPSED_MICROS, LABEL, MILLIS, SECOND } from "./layout";

/** Indexes into `ROLES`. */
export const TRANSACTION: u32 = 1;
export const SUBRESULT: u32 = 2;
export const REQUEST: u32 = 3;

/** Position of the row of the last request; `FORGOTTEN` if no sub-result can belong to one; 0 if nothing has changed. */
export let requestAt: u32 = 0;
const FORGOTTEN: u32 = 1;
/** Values of that row, set by `settleRequest`. */
export let requestLabel: u32 = 0;
export let requestSecond: u32 = 0;
export let requestMillis: u32 = 0;
export let requestElapsedMicros: f64 = 0;

/** Its row in the batch, if `isNew`: read by the current `read`. */
let requestRow: u32 = 0;
let isNew: bool = false;

/** "Number of samples in transaction : ", with which messages of transactions begin. */
const MESSAGE: u32 = <u32>(
  memory.data<u8>([
    78, 117, 109, 98, 101, 114, 32, 111, 102, 32, 115, 97, 109, 112, 108, 101, 115, 32, 105, 110,
    32, 116, 114, 97, 110, 115, 97, 99, 116, 105, 111, 110, 32, 58, 32,
  ])
);
const MESSAGE_LENGTH: u32 = 35;

export function beginRead(): void {
  isNew = false;
}

export function openRequest(at: u32, row: u32): void {
  isNew = true;
  requestAt = at;
  requestRow = row;
}

/** Records that the last row is not a request, so that no sub-result can belong to one. */
export function forgetRequest(): void {
  isNew = false;
  requestAt = FORGOTTEN;
}

/** Copies the last request for later rows, as the batch may be reused. */
export function settleRequest(): void {
  if (!isNew) return;
  const word = requestRow << 2;
  requestLabel = load<u32>(LABEL + word);
  requestSecond = load<u32>(SECOND + word);
  requestMillis = load<u32>(MILLIS + word);
  requestElapsedMicros = load<f64>(ELAPSED_MICROS + (word << 1));
}

/** Marks the last request as taken. */
export function clearRequest(): void {
  requestAt = 0;
}

/** Reports whether the message at `from` is that of a transaction. */
export function isOfTransaction(from: u32, length: u32): bool {
  return length >= MESSAGE_LENGTH && memory.compare(from, MESSAGE, MESSAGE_LENGTH) == 0;
}
