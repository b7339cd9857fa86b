/** Deletes runs after a minute in which this can be undone, whichever view is open. */

import { ApiError } from "../api/client.ts";
import { onSignOut } from "../api/key.ts";
import { deleteLoadTest } from "../api/load-tests.ts";
import { sharedState } from "../api/shared-state.ts";

interface Deletion {
  /** Runs still to be deleted. */
  readonly ids: readonly string[];
  /** Time left to undo; 0 once deletion has begun. */
  readonly secondsLeft: number;
  /** Runs that this tab has deleted so far. */
  readonly deletedCount: number;
  /** Why the first of `ids` could not be deleted. */
  readonly complaint?: string;
}

const UNDO_SECONDS = 60;

const deletion = sharedState<Deletion>({ ids: [], secondsLeft: 0, deletedCount: 0 });
let endsAtMs = 0;
let timer: ReturnType<typeof setInterval> | undefined;
let endsWithSignOut = false;

export const useDeletion = deletion.use;

/** Deletes these runs in a minute, together with any that are already waiting. */
export function deleteLater(ids: readonly string[]): void {
  stopWaiting();
  // The next key may have other runs with these ids.
  if (!endsWithSignOut) onSignOut(keepAll);
  endsWithSignOut = true;
  const all = [...new Set([...deletion.get().ids, ...ids])];
  wait(all, UNDO_SECONDS);
  endsAtMs = Date.now() + UNDO_SECONDS * 1000;
  timer = setInterval(() => {
    const left = Math.ceil((endsAtMs - Date.now()) / 1000);
    if (left > 0) wait(deletion.get().ids, left);
    else void deleteNow();
  }, 1000);
  addEventListener("beforeunload", askToStay);
}

/** Cancels the deletion of all runs that are left. */
export function keepAll(): void {
  stopWaiting();
  wait([], 0);
}

export async function deleteNow(): Promise<void> {
  clearInterval(timer);
  wait(deletion.get().ids, 0);
  for (let next = nextOne(); next !== undefined; next = nextOne()) {
    const id = next;
    try {
      await deleteLoadTest(id);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      // Somebody else has deleted it.
      if (error.code !== "unknown-load-test") {
        stopWaiting();
        deletion.set({ ...deletion.get(), secondsLeft: 0, complaint: error.message });
        return;
      }
    }
    const { ids, secondsLeft, deletedCount } = deletion.get();
    const left = ids.filter((each) => each !== id);
    deletion.set({ ids: left, secondsLeft, deletedCount: deletedCount + 1 });
  }
  if (deletion.get().ids.length === 0) stopWaiting();
}

/** `undefined` also while the countdown runs again, because more runs were chosen. */
function nextOne(): string | undefined {
  const { ids, secondsLeft } = deletion.get();
  return secondsLeft === 0 ? ids[0] : undefined;
}

function wait(ids: readonly string[], secondsLeft: number): void {
  deletion.set({ ids, secondsLeft, deletedCount: deletion.get().deletedCount });
}

function stopWaiting(): void {
  clearInterval(timer);
  removeEventListener("beforeunload", askToStay);
}

/** Makes the browser ask before it closes the tab, which would cancel the deletion. */
function askToStay(event: Event): void {
  event.preventDefault();
}
