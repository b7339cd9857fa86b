/** What is fuzzed: something that takes bytes of strangers. */
export interface FuzzTarget {
  /** Also the folder of its corpus. */
  readonly name: string;
  /** Throws, or rejects, where the bytes have found a fault. */
  run(input: Uint8Array): void | Promise<void>;
  /** Inputs of a few milliseconds each get fewer runs in tests. @default 1 */
  readonly cost?: number;
  close?(): Promise<void>;
}
