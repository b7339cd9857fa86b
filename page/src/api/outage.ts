import { useEffect, useState } from "preact/hooks";

/** The service is away: what one question finds out concerns the whole page. */
export interface Outage {
  /** When it answered last, UNIX second. */
  readonly sinceSecond: number;
  readonly message: string;
}

/** Who waits for an answer that did not come. */
const waiting = new Set<object>();
const listeners = new Set<() => void>();
let answeredAtMs = Date.now();
let outage: Outage | undefined;

/** `undefined` while the service answers; the component is drawn again when that changes. */
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

/** Says that there is no answer for `asker`, and why. */
export function noteOutage(asker: object, message: string): void {
  waiting.add(asker);
  outage ??= { sinceSecond: Math.floor(answeredAtMs / 1000), message };
  tellAll();
}

export function noteAnswer(asker: object): void {
  answeredAtMs = Date.now();
  noteGone(asker);
}

/** Says that `asker` waits no longer. */
export function noteGone(asker: object): void {
  waiting.delete(asker);
  if (waiting.size === 0) outage = undefined;
  tellAll();
}

function tellAll(): void {
  for (const listener of listeners) listener();
}
