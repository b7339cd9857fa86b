/** Code to fuzz that reads untrusted bytes. */
export interface FuzzTarget {
  /** Also the folder of its corpus. */
  readonly name: string;
  /** Throws or rejects if the bytes reveal a defect. */
  run(input: Uint8Array): void | Promise<void>;
  /** Targets whose inputs take a few milliseconds each get fewer runs in tests. @default 1 */
  readonly cost?: number;
  close?(): Promise<void>;
}
