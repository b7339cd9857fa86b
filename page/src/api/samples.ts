import { type Answer, ask, type Parameters } from "./client.ts";
import { outcomeParametersOf, type Scope } from "./figures.ts";

/** See docs/samples.md. */
export type Samples = Answer<"getSamples">;
export type Sample = Samples["samples"][number];

/** Requests of the scope that were kept whole. */
export function askSamples(
  scope: Scope,
  which: Partial<Pick<Parameters<"getSamples">, "code" | "message" | "near" | "limit">>,
  signal: AbortSignal,
): Promise<Samples> {
  return ask("getSamples", { ...outcomeParametersOf(scope), ...which }, { signal });
}
