import type { Structure } from "./structures/structure.ts";

/** Code to fuzz that reads untrusted bytes. */
export interface FuzzTarget {
  /** Also the folder of its corpus. */
  readonly name: string;
  /** Throws or rejects if the bytes reveal a defect. */
  run(input: Uint8Array): void | Promise<void>;
  /** Targets whose inputs take a few milliseconds each get fewer runs in tests. @default 1 */
  readonly cost?: number;
  /** @default inputs are changed only as bytes */
  readonly structure?: Structure;
  /** Put into inputs, in addition to those of the corpus. */
  readonly words?: readonly string[];
  /** Growth of the process that is a finding. @default 300 */
  readonly rssMiBMax?: number;
  close?(): Promise<void>;
}
