import { useEffect, useRef, useState } from "preact/hooks";

/** How often what changes little is requested again while a load test runs. */
export const REST_MS = 30_000;

/** Follows a value that changes often, once in `everyMs`. */
export function useSlowly<Value>(value: Value, everyMs: number): Value {
  const [shown, setShown] = useState(value);
  const changedAtMs = useRef(-Infinity);
  useEffect(() => {
    if (value === shown) return undefined;
    const waitMs = Math.max(0, changedAtMs.current + everyMs - Date.now());
    const timer = setTimeout(() => {
      changedAtMs.current = Date.now();
      setShown(value);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [value, shown, everyMs]);
  return shown;
}
