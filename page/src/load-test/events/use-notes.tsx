import { changeParameters } from "../../address/use-address.ts";
import { REST_MS, useSlowly } from "../use-slowly.ts";
import type { ComponentChildren } from "preact";
import { useContext, useState } from "preact/hooks";
import { MayWriteContext } from "../../shell/may-write.ts";
import type { LoadTestPart } from "../part.ts";
import { EventList } from "./event-list.tsx";
import { NoteBar, type NoteDraft } from "./note-bar.tsx";
import { type EventFlag, useEvents } from "./use-events.ts";

interface NotesProps extends Pick<LoadTestPart, "scope" | "range" | "version" | "formatTime"> {
  /** Label of the only selected endpoint. */
  readonly endpoint: string | undefined;
}

interface Notes {
  readonly flags: readonly EventFlag[];
  /** Begins a note at a UNIX second; `undefined`: this key may not write. */
  readonly onNote: ((second: number) => void) | undefined;
  /** Their list, and the form of the one that is being written. */
  readonly element: ComponentChildren;
}

/** Events and notes in the range. */
export function useNotes({ scope, range, version, formatTime, endpoint }: NotesProps): Notes {
  const [changes, setChanges] = useState(0);
  const flags = useEvents(scope.id, range, useSlowly(version, REST_MS) + changes);
  const [draft, setDraft] = useState<NoteDraft>();
  const mayWrite = useContext(MayWriteContext);
  const isWhole = scope.from === undefined && scope.until === undefined;
  return {
    flags,
    onNote: mayWrite ? (second) => setDraft({ second }) : undefined,
    element: (
      <>
        <EventList
          events={flags}
          formatTime={formatTime}
          onShow={(event) => changeParameters(around(event))}
          onEdit={mayWrite ? (event) => setDraft({ event }) : undefined}
        />
        {draft === undefined ? null : (
          <NoteBar
            key={JSON.stringify(draft)}
            {...{ draft, endpoint, formatTime }}
            id={scope.id}
            range={isWhole ? undefined : range}
            onClose={() => setDraft(undefined)}
            onChanged={() => setChanges((last) => last + 1)}
          />
        )}
      </>
    ),
  };
}

const AROUND_SECONDS = 150;

function around({ second, until = second }: EventFlag) {
  return { from: String(second - AROUND_SECONDS), until: String(until + AROUND_SECONDS) };
}
