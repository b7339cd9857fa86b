import { useLayoutEffect, useRef } from "preact/hooks";

/** Handles a key; returning `true` keeps its usual meaning. */
export type KeyActions = Readonly<Record<string, () => boolean | void>>;

/** Shortcuts of the view, by `event.key`; inactive while typing, except for Escape. */
export function useKeys(actions: KeyActions): void {
  // The last render decides, even if keys arrive faster than effects.
  const latest = useRef(actions);
  latest.current = actions;
  // Before the view is painted, so that no key pressed on it is lost.
  useLayoutEffect(() => {
    const act = (event: KeyboardEvent): void => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
      if (isTyping(event) && event.key !== "Escape") return;
      // A dialog takes all keys; an open popover takes Escape, with which the browser closes it.
      const taker = event.key === "Escape" ? ":popover-open, dialog:modal" : "dialog:modal";
      if (document.querySelector(taker) !== null) return;
      const { current } = latest;
      const action = Object.hasOwn(current, event.key) ? current[event.key] : undefined;
      if (action === undefined || action() === true) return;
      event.preventDefault();
    };
    addEventListener("keydown", act);
    return () => removeEventListener("keydown", act);
  }, []);
}

function isTyping({ target }: KeyboardEvent): boolean {
  if (target instanceof HTMLInputElement) return target.type !== "checkbox";
  return target instanceof HTMLSelectElement || target instanceof HTMLTextAreaElement;
}
