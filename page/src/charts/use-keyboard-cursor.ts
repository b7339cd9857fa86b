import { useEffect, useState } from "preact/hooks";

export interface KeyboardCursor {
  /** Window that the keys have come to; `undefined` before the first one. */
  readonly index: number | undefined;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onBlur: () => void;
}

const FAR = 10;

/**
 * A cursor for those who have no mouse: in a chart that has the focus arrows go from window to window,
 * Page Up and Page Down further, Home and End to the ends; Escape takes the cursor away.
 */
export function useKeyboardCursor(
  windows: number,
  onMove: (index: number | undefined) => void,
): KeyboardCursor {
  const [requested, setIndex] = useState<number>();
  const index = requested === undefined ? undefined : Math.min(requested, windows - 1);
  useEffect(() => {
    if (index !== undefined) onMove(index);
  }, [index]);
  const leave = (): void => {
    if (index !== undefined) onMove(undefined);
    setIndex(undefined);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && index === undefined) return;
    if (event.key === "Escape") leave();
    else {
      const next = nextIndex(event.key, index, windows);
      if (next === undefined) return;
      setIndex(next);
    }
    // Elsewhere arrows pan, and Escape takes off what is chosen.
    event.preventDefault();
  };
  return { index, onKeyDown, onBlur: leave };
}

/** The window that a key leads to; `undefined` for keys that lead nowhere. */
export function nextIndex(
  key: string,
  index: number | undefined,
  windows: number,
): number | undefined {
  if (windows < 1) return undefined;
  const last = windows - 1;
  const within = (requested: number): number => Math.min(Math.max(requested, 0), last);
  switch (key) {
    case "ArrowLeft":
      return within((index ?? windows) - 1);
    case "ArrowRight":
      return within((index ?? -1) + 1);
    case "PageDown":
      return within((index ?? windows) - FAR);
    case "PageUp":
      return within((index ?? -1) + FAR);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return undefined;
  }
}
