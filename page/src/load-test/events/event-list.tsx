import { useState } from "preact/hooks";
import { type EventFlag, whenText } from "./use-events.ts";

interface EventListProps {
  /** Ascending. */
  readonly events: readonly EventFlag[];
  readonly formatTime: (second: number) => string;
  /** Shows the time around an event; `undefined`: the view has no range. */
  readonly onShow?: ((event: EventFlag) => void) | undefined;
  /** `undefined`: this key may not write. */
  readonly onEdit: ((event: EventFlag) => void) | undefined;
}

const FIRST_SHOWN = 10;

/** What happened in the range: the flags of the charts, in words, with who wrote them. */
export function EventList({ events, formatTime, onShow, onEdit }: EventListProps) {
  const [isAll, setAll] = useState(false);
  if (events.length === 0) return null;
  const shown = isAll ? events : events.slice(0, FIRST_SHOWN);
  return (
    <section aria-labelledby="events">
      <h2 id="events">
        Events <span class="number">{events.length}</span>
      </h2>
      <ul class="events">
        {shown.map((flag) => (
          <li key={flag.event.id}>
            {onShow === undefined ? (
              <span class="when">{whenText(flag, formatTime)}</span>
            ) : (
              <button
                type="button"
                class="word when"
                title="Show the minutes around it"
                onClick={() => onShow(flag)}
              >
                {whenText(flag, formatTime)}
              </button>
            )}
            <bdi>{flag.text}</bdi>
            {flag.event.author === undefined ? null : (
              <small title={`Written ${flag.event.writtenAt}`}>
                <bdi>{flag.event.author}</bdi>
              </small>
            )}
            {onEdit === undefined ? null : (
              <button
                type="button"
                class="word"
                aria-label={`Edit ${flag.text}`}
                onClick={() => onEdit(flag)}
              >
                Edit
              </button>
            )}
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
