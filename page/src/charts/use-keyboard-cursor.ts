import { useEffect, useState } from "preact/hooks";

export interface KeyboardCursor {
  /** The window under the keyboard cursor; `undefined` before the first key. */
  readonly index: number | undefined;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onBlur: () => void;
}

const FAR = 10;

/**
 * A keyboard cursor for focused charts: arrows move by a window, Page Up and Page Down further, Home and End
 * to the ends; Escape hides it.
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
    // Elsewhere arrows pan, and Escape clears selections.
    event.preventDefault();
  };
  return { index, onKeyDown, onBlur: leave };
}

/** The window a key leads to; `undefined` for other keys. */
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
