/**
 * Frees the memory of `bytes`, which must not be used afterwards, not even by a write that is still running; does nothing if others
 * share the buffer. Otherwise V8 frees it at its next collection, and starts a full one for every few tens of megabytes.
 */
export function releaseMemory({ buffer, byteLength }: ArrayBufferView): void {
  if (!(buffer instanceof ArrayBuffer) || buffer.detached) return;
  if (buffer.byteLength === byteLength) buffer.transfer(0);
}
