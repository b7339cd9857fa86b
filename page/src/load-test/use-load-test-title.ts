import type { Figures } from "../api/figures.ts";
import { count, rate } from "../format/numbers.ts";
import { useTitle } from "../shell/use-title.ts";

/** Names the tab; while a load test runs, with what is going on. */
export function useLoadTestTitle(name: string, running: Figures | undefined): void {
  useTitle(
    running === undefined
      ? `${name} · Tachograph`
      : `${rate(running.reqPerSec)}/s · ${count(running.errCount)} failed · ${name}`,
  );
}
