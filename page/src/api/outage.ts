import { sharedState } from "./shared-state.ts";

/** Tracks outages of the service for the whole page. */
export interface Outage {
  /** Last answer, UNIX second. */
  readonly sinceSecond: number;
  readonly message: string;
}

/** Requests waiting for the service to return. */
const waiting = new Set<object>();
let answeredAtMs = Date.now();
const outage = sharedState<Outage | undefined>(undefined);

/** `undefined` while the service answers; the component rerenders on changes. */
export const useOutage = outage.use;

/** Reports that `asker` got no answer, and why. */
export function noteOutage(asker: object, message: string): void {
  waiting.add(asker);
  if (outage.get() !== undefined) return;
  outage.set({ sinceSecond: Math.floor(answeredAtMs / 1000), message });
}

export function noteAnswer(asker: object): void {
  answeredAtMs = Date.now();
  noteGone(asker);
}

/** Reports that `asker` no longer waits. */
export function noteGone(asker: object): void {
  waiting.delete(asker);
  if (waiting.size === 0 && outage.get() !== undefined) outage.set(undefined);
}
