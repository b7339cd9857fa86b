import { useRef } from "preact/hooks";
import { changeParameters } from "../../address/use-address.ts";

const [STEP, LEAST, MOST] = [10, 120, 2000];

/** Below the chart of response times: dragging it, or an arrow key on it, changes the height of the chart; a double click resets it. */
export function HeightHandle({ height }: { readonly height: number }) {
  const grip = useRef<{ readonly y: number; readonly height: number }>(undefined);
  return (
    <div
      class="height-handle"
      role="separator"
      aria-orientation="horizontal"
      aria-label="Height of the chart of response times"
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      aria-valuenow={height}
      tabIndex={0}
      title="Drag to change the height; f for all of the window"
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        grip.current = { y: event.clientY, height };
      }}
      onPointerMove={(event) => {
        if (grip.current !== undefined)
          choose(grip.current.height + event.clientY - grip.current.y);
      }}
      onLostPointerCapture={() => (grip.current = undefined)}
      onDblClick={() => changeParameters({ height: undefined }, "replace")}
      onKeyDown={(event) => {
        const steps = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (steps === undefined) return;
        event.preventDefault();
        choose(height + 2 * STEP * steps);
      }}
    />
  );
}

/** In steps, so that few of them draw anew. */
function choose(height: number): void {
  const rounded = Math.round(height / STEP) * STEP;
  const chosen = Math.min(MOST, Math.max(LEAST, rounded));
  changeParameters({ height: String(chosen) }, "replace");
}
