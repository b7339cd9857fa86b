import type { Scope } from "../api/figures.ts";
import type { Range } from "./scope/range.ts";

/** The shown part of a load test; its views take what they need of it. */
export interface LoadTestPart {
  /** Of the load test. */
  readonly name: string;
  readonly scope: Scope;
  /** UNIX seconds, half-open. */
  readonly range: Range;
  /** The extent of the load test, and whether more is expected. */
  readonly whole: Range;
  readonly isGrowing: boolean;
  /** Changes when new data arrive. */
  readonly version: number;
  /** Of the URL. */
  readonly parameters: ReadonlyMap<string, string>;
  readonly formatTime: (second: number) => string;
  /** A second at which this clock shows 0. */
  readonly clockOrigin: number;
}
