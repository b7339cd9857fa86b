import { useKeys } from "../shell/keyboard.ts";

/** Whether data keep coming, and whether the page goes with them. */
export interface Live {
  readonly isGrowing: boolean;
  readonly isPaused: boolean;
  readonly onPause: (isPaused: boolean) => void;
  /** `undefined` while the service answers. */
  readonly outage: Outage | undefined;
}

/** How it stands with a service that does not answer. */
export interface Outage {
  /** When it answered last, UNIX second. */
  readonly sinceSecond: number;
  readonly nextTryAtMs: number;
  /** Tries at once. */
  readonly onTry: () => void;
}

/** Stops what is shown from changing, and lets it go on; the space bar does the same. */
export function PauseButton({ isGrowing, isPaused, onPause }: Live) {
  useKeys({
    " ": () => {
      const onControl = document.activeElement?.matches("button, a, input, summary") ?? false;
      if (!isGrowing || onControl) return true;
      onPause(!isPaused);
      return false;
    },
  });
  if (!isGrowing) return null;
  return (
    <button type="button" onClick={() => onPause(!isPaused)}>
      {isPaused ? "Go on" : "Pause"} <kbd aria-hidden="true">Space</kbd>
    </button>
  );
}
