/** Port: a file that something else is writing. */
export interface GrowingFile {
  /** How many bytes it has now. */
  sizeBytes(): Promise<number>;
  /**
   * The bytes from offset `at` on, at most `bytesMax`: fewer at the present end, none beyond it.
   * They are valid until the next call.
   */
  read(at: number, bytesMax: number): Promise<Uint8Array>;
  /** Whether another file stands at its path by now. */
  isReplaced(): Promise<boolean>;
  close(): Promise<void>;
}
