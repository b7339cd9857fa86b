import { useEffect } from "preact/hooks";
import type { Figures } from "../api/figures.ts";
import { count, rate } from "../format/numbers.ts";

/** Names the tab; while a load test runs, with what is going on. */
export function useTitle(name: string, running: Figures | undefined): void {
  const title =
    running === undefined
      ? `${name} · Tachograph`
      : `${rate(running.reqPerSec)}/s · ${count(running.errCount)} failed · ${name}`;
  useEffect(() => {
    document.title = title;
    return () => void (document.title = "Tachograph");
  }, [title]);
}
