/**
 * Frees what `bytes` fill, which nobody may use any more; does nothing if others share the buffer. V8 does not collect such
 * memory until a collection, and starts a full one whenever some tens of megabytes are waiting.
 */
export function releaseMemory({ buffer, byteLength }: ArrayBufferView): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.detached) return;
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}
