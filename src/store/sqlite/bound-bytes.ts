/**
 * Bytes as they are bound to a statement. Node 22 binds an array for NULL that has come from another
 * thread with nothing in it.
 */
export function boundBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === 0 ? NO_BYTES : bytes;
}

/** Its buffer is not empty: that is where Node 22 looks. */
const NO_BYTES = new Uint8Array(new ArrayBuffer(1), 0, 0);
