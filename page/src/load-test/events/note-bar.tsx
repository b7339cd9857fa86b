import { useLayoutEffect, useRef } from "preact/hooks";
import { ask } from "../../api/client.ts";
import { nameIn, useSubmit } from "../../parts/use-submit.ts";
import type { Range } from "../scope/range.ts";
import { type EventFlag, whenText } from "./use-events.ts";

/** A new note at a UNIX second, or one that is there. */
export type NoteDraft = { readonly second: number } | { readonly event: EventFlag };

interface NoteBarProps {
  readonly draft: NoteDraft;
  /** Of the run. */
  readonly id: string;
  /** The chosen range, if it is not the whole run. */
  readonly range: Range | undefined;
  /** Label of the only selected endpoint. */
  readonly endpoint: string | undefined;
  readonly formatTime: (second: number) => string;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}

/** At the bottom, so that no chart moves: writes, edits or deletes a note. */
export function NoteBar(props: NoteBarProps) {
  const { draft, id, range, endpoint, formatTime, onClose, onChanged } = props;
  const event = "event" in draft ? draft.event : undefined;
  const second = "event" in draft ? draft.event.second : draft.second;
  const field = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => field.current?.focus({ preventScroll: true }), []);
  const { complaint, onSubmit } = useSubmit(async (fields) => {
    if (event !== undefined) {
      await ask("changeEvent", { id, event: event.event.id }, { body: { text: nameIn(fields) } });
    } else {
      const { from = second, until }: Partial<Range> = fields.has("range") ? (range ?? {}) : {};
      const body = {
        text: nameIn(fields),
        at: isoTime(from),
        ...(until !== undefined && { until: isoTime(until) }),
        ...(fields.has("endpoint") && endpoint !== undefined && { endpoint }),
      };
      await ask("addEvent", { id }, { body });
    }
    onClose();
    onChanged();
  });
  const deletion = useSubmit(async () => {
    await ask("removeEvent", { id, event: event?.event.id ?? "" });
    onClose();
    onChanged();
  });
  return (
    <div class="compare-bar" role="region" aria-label="Note">
      <form
        class="note"
        onSubmit={onSubmit}
        onKeyDown={({ key }) => void (key === "Escape" && onClose())}
      >
        <label>
          {`Note at ${event === undefined ? formatTime(second) : whenText(event, formatTime)} `}
          <input
            ref={field}
            name="name"
            maxLength={200}
            required
            autocomplete="off"
            defaultValue={event?.event.text ?? ""}
          />
        </label>
        {event !== undefined || range === undefined ? null : (
          <label>
            <input type="checkbox" name="range" />
            {` ${formatTime(range.from)} to ${formatTime(range.until)}`}
          </label>
        )}
        {event !== undefined || endpoint === undefined ? null : (
          <label>
            <input type="checkbox" name="endpoint" defaultChecked />
            {" only "}
            <bdi>{endpoint}</bdi>
          </label>
        )}
        <button type="submit" class="filled">
          {event === undefined ? "Add note" : "Save"}
        </button>
      </form>
      {event === undefined ? null : (
        <form onSubmit={deletion.onSubmit}>
          <button type="submit">Delete</button>
        </form>
      )}
      <button type="button" class="quiet" onClick={onClose}>
        Cancel
      </button>
      <span class="complaint" role="alert">
        {complaint + deletion.complaint}
      </span>
    </div>
  );
}

function isoTime(second: number): string {
  return new Date(second * 1000).toISOString();
}
