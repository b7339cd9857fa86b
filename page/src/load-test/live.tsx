import type { Outage } from "../api/outage.ts";
import { useKeys } from "../shell/keyboard.ts";

/** Whether data keep arriving, and whether the page follows them. */
export interface Live {
  readonly isGrowing: boolean;
  readonly isPaused: boolean;
  readonly onPause: (isPaused: boolean) => void;
  /** `undefined` while the service answers. */
  readonly outage: Outage | undefined;
}

/** Pauses and resumes updates; the space bar does the same. */
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
      {isPaused ? "Resume" : "Pause"} <kbd aria-hidden="true">Space</kbd>
    </button>
  );
}
