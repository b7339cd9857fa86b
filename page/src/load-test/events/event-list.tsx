import { useState, useMemo } from "preact/hooks";
import type { ChartFlag } from "../../charts/time-chart-props.ts";
import { useAnswer } from "../../api/use-answer.ts";
import type { Range } from "../scope/range.ts";
import { ask } from "../../api/client.ts";

interface EventListProps {
  /** Ascending. */
  readonly events: readonly ChartFlag[];
  readonly formatTime: (second: number) => string;
}

const FIRST_SHOWN = 10;

/** What happened in the range: the flags of the charts, in words. */
export function EventList({ events, formatTime }: EventListProps) {
  const [isAll, setAll] = useState(false);
  if (events.length === 0) return null;
  const shown = isAll ? events : events.slice(0, FIRST_SHOWN);
  return (
    <section aria-labelledby="events">
      <h2 id="events">
        Events <span class="number">{events.length}</span>
      </h2>
      <ul class="events">
        {shown.map(({ second, text }) => (
          <li key={`${second} ${text}`}>
            <span class="when">{formatTime(second)}</span>
            {text}
          </li>
        ))}
      </ul>
      {shown.length === events.length ? null : (
        <button type="button" class="word" onClick={() => setAll(true)}>
          {`All ${events.length}`}
        </button>
      )}
    </section>
  );
}

/** What happened during a load test, ascending by time. */
async function askEvents(id: string, signal: AbortSignal): Promise<readonly ChartFlag[]> {
  const events = await ask("getEvents", { id }, { signal });
  return events.map(({ at, text }) => ({ second: Math.floor(Date.parse(at) / 1000), text }));
}

/** Requests what happened in a range of a load test. */
export function useEvents(
  id: string,
  { from, until }: Range,
  version: number,
): readonly ChartFlag[] {
  const { value } = useAnswer("events", id, (signal) => askEvents(id, signal), { version });
  return useMemo(
    () => value?.filter(({ second }) => second >= from && second < until) ?? [],
    [value, from, until],
  );
}
