import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";

interface PopupProps {
  /** Of the button; says more than its text if needed. */
  readonly label?: string;
  readonly button: ComponentChildren;
  readonly buttonClass: string;
  /** The edge of the button that the popup aligns with. */
  readonly side?: "left" | "right";
  readonly children: (close: () => void) => ComponentChildren;
}

/**
 * A button and the popup it opens. Escape and a click elsewhere close it; after Escape, and after `close`,
 * the button has the focus.
 */
export function Popup({ label, button, buttonClass, side = "left", children }: PopupProps) {
  const [isOpen, setOpen] = useState(false);
  const place = useRef<HTMLSpanElement>(null);
  const close = (): void => {
    setOpen(false);
    place.current?.querySelector("button")?.focus();
  };
  useLayoutEffect(() => {
    if (!isOpen) return undefined;
    place.current?.querySelector<HTMLElement>(".popup :is(button, input)")?.focus();
    const look = ({ target }: Event): void => {
      if (target instanceof Node && !place.current?.contains(target)) setOpen(false);
    };
    addEventListener("pointerdown", look);
    addEventListener("focusin", look);
    return () => {
      removeEventListener("pointerdown", look);
      removeEventListener("focusin", look);
    };
  }, [isOpen]);
  return (
    <span
      ref={place}
      class="popup-place"
      onKeyDown={(event) => {
        if (event.key !== "Escape" || !isOpen) return;
        // Escape closes this first.
        event.preventDefault();
        close();
      }}
    >
      <button
        type="button"
        class={buttonClass}
        aria-label={label}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        {button}
      </button>
      {isOpen ? <div class={`popup ${side}`}>{children(close)}</div> : null}
    </span>
  );
}
