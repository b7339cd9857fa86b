import type { ComparedRuns } from "../api/comparison.ts";
import { type EventFlag, flagOf } from "../load-test/events/use-events.ts";

/** Events and notes of all runs in seconds since the start of each, ascending, with the number of their run. */
export function eventsOfRuns({ loadTests }: ComparedRuns): readonly EventFlag[] {
  return loadTests
    .flatMap(({ events = [], startedAt }, at) =>
      events.map((event) => {
        const { second, until, text } = flagOf(event);
        return {
          second: second - startedAt,
          until: until && until - startedAt,
          text: `${at + 1}: ${text}`,
          event: { ...event, id: `${at} ${event.id}` },
        };
      }),
    )
    .toSorted((one, other) => one.second - other.second);
}
