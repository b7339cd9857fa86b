import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useKeys } from "../shell/keyboard.ts";

interface PopupProps {
  /** Of the button; says more than its text if needed. */
  readonly label?: string;
  readonly button: ComponentChildren;
  readonly buttonClass?: string;
  /** The edge of the button that the popup aligns with. */
  readonly side?: "left" | "right";
  /** Toggles the popup from anywhere in the view. */
  readonly shortcut?: string;
  readonly children: (close: () => void) => ComponentChildren;
}

/**
 * A button and the popover it opens. The browser closes it on Escape and on a click elsewhere, and returns the
 * focus to the button.
 */
export function Popup(props: PopupProps) {
  const { label, button, buttonClass, side = "left", shortcut, children } = props;
  const [isOpen, setOpen] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const popup = useRef<HTMLDivElement>(null);
  const id = useId();
  const toggle = (): void => {
    // The popover returns the focus to where it was.
    opener.current?.focus();
    opener.current?.click();
  };
  useKeys(shortcut === undefined ? {} : { [shortcut]: toggle });
  useLayoutEffect(() => {
    const first = isOpen
      ? popup.current?.querySelector<HTMLElement>(":is(button, input, textarea)")
      : null;
    if (!first) return;
    // A click renders this before the popover is shown, which then focuses it; a shortcut renders it after.
    first.autofocus = true;
    first.focus();
  }, [isOpen]);
  return (
    <>
      <button
        ref={opener}
        type="button"
        class={buttonClass}
        aria-label={label}
        aria-expanded={isOpen}
        popovertarget={id}
      >
        {button}
      </button>
      <div
        ref={popup}
        id={id}
        popover="auto"
        class={`popup ${side}`}
        onBeforeToggle={({ newState }) => newState === "open" && setOpen(true)}
        // Not before: the browser returns the focus only while it is inside.
        onToggle={({ newState }) => newState === "closed" && setOpen(false)}
      >
        {isOpen ? children(() => popup.current?.hidePopover()) : null}
      </div>
    </>
  );
}
