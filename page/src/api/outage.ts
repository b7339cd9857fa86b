import { useEffect, useState } from "preact/hooks";

/** Tracks outages of the service for the whole page. */
export interface Outage {
  /** Last answer, UNIX second. */
  readonly sinceSecond: number;
  readonly message: string;
}

/** Requests waiting for the service to return. */
const waiting = new Set<object>();
const listeners = new Set<() => void>();
let answeredAtMs = Date.now();
let outage: Outage | undefined;

/** `undefined` while the service answers; the component rerenders on changes. */
export function useOutage(): Outage | undefined {
  const [shown, show] = useState(outage);
  useEffect(() => {
    const update = (): void => show(outage);
    listeners.add(update);
    update();
    return () => void listeners.delete(update);
  }, []);
  return shown;
}

/** Reports that `asker` got no answer, and why. */
export function noteOutage(asker: object, message: string): void {
  waiting.add(asker);
  outage ??= { sinceSecond: Math.floor(answeredAtMs / 1000), message };
  tellAll();
}

export function noteAnswer(asker: object): void {
  answeredAtMs = Date.now();
  noteGone(asker);
}

/** Reports that `asker` no longer waits. */
export function noteGone(asker: object): void {
  waiting.delete(asker);
  if (waiting.size === 0) outage = undefined;
  tellAll();
}

function tellAll(): void {
  for (const listener of listeners) listener();
}
