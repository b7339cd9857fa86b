import type { ChartFlag } from "../charts/time-chart-props.ts";
import { ask } from "./client.ts";

/** What happened during a load test, ascending by time. */
export async function askEvents(id: string, signal: AbortSignal): Promise<readonly ChartFlag[]> {
  const events = await ask("getEvents", { id }, { signal });
  return events.map(({ at, text }) => ({ second: Math.floor(Date.parse(at) / 1000), text }));
}
