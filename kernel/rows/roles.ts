import { ELAPSED_MICROS, LABEL, MILLIS, SECOND } from "./layout";

/** Indices into `ROLES`. */
export const TRANSACTION: u32 = 1;
export const SUBRESULT: u32 = 2;
export const REQUEST: u32 = 3;

/** Where the row of the last request begins; or that there is none to which a sub-result belongs, */
export let requestAt: u32 = 0;
const FORGOTTEN: u32 = 1;
/** or 0 if nothing has changed. What it was, once `settleRequest` was called: */
export let requestLabel: u32 = 0;
export let requestSecond: u32 = 0;
export let requestMillis: u32 = 0;
export let requestElapsedMicros: f64 = 0;

/** Its row in the batch, if it was read since `beginReading`. */
let requestRow: u32 = 0;
let isNew: bool = false;

/** "Number of samples in transaction : ", as transactions answer. */
const MESSAGE: u32 = <u32>(
  memory.data<u8>([
    78, 117, 109, 98, 101, 114, 32, 111, 102, 32, 115, 97, 109, 112, 108, 101, 115, 32, 105, 110,
    32, 116, 114, 97, 110, 115, 97, 99, 116, 105, 111, 110, 32, 58, 32,
  ])
);
const MESSAGE_LENGTH: u32 = 35;

export function beginReading(): void {
  isNew = false;
}

export function openRequest(at: u32, row: u32): void {
  isNew = true;
  requestAt = at;
  requestRow = row;
}

/** Says that the row in front is no request, so that no sub-result can belong to one. */
export function forgetRequest(): void {
  isNew = false;
  requestAt = FORGOTTEN;
}

/** Tells what the last request was, of which later rows may ask, as the batch is given away. */
export function settleRequest(): void {
  if (!isNew) return;
  const word = requestRow << 2;
  requestLabel = load<u32>(LABEL + word);
  requestSecond = load<u32>(SECOND + word);
  requestMillis = load<u32>(MILLIS + word);
  requestElapsedMicros = load<f64>(ELAPSED_MICROS + (word << 1));
}

/** Begins anew: all that was told is known. */
export function clearRequest(): void {
  requestAt = 0;
}

/** Whether a message at `from` is that of a transaction. */
export function isOfTransaction(from: u32, length: u32): bool {
  return length >= MESSAGE_LENGTH && memory.compare(from, MESSAGE, MESSAGE_LENGTH) == 0;
}
