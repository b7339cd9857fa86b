import type { Figures } from "../api/figures.ts";
import { count, rate } from "../format/numbers.ts";
import { useTitle } from "../shell/use-title.ts";

/** The tab's title; for a running load test, with its current figures. */
export function useLoadTestTitle(name: string, running: Figures | undefined): void {
  useTitle(
    running === undefined
      ? `${name} · Tachograph`
      : `${rate(running.reqPerSec)}/s · ${count(running.errCount)} failed · ${name}`,
  );
}
