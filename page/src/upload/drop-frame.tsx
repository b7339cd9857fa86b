import { useEffect, useState } from "preact/hooks";
import { chooseDropped } from "./chosen-files.ts";

/** Accepts files dropped anywhere; shows a frame while some are held above the page. */
export function DropFrame() {
  const held = useDrop();
  if (held === 0) return null;
  const text = held === 1 ? "Drop to upload" : `Drop to upload ${held} files`;
  return (
    <div class="drop-frame" role="status">
      <span>{text}</span>
    </div>
  );
}

/** Number of files held above the page. Their names are known only when dropped. */
function useDrop(): number {
  const [held, setHeld] = useState(0);
  useEffect(() => {
    const over = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = "copy";
      setHeld(Math.max(1, event.dataTransfer.items.length));
    };
    const leave = ({ relatedTarget }: DragEvent): void => {
      if (relatedTarget === null) setHeld(0);
    };
    const drop = (event: DragEvent): void => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setHeld(0);
      void chooseDropped(event.dataTransfer);
    };
    addEventListener("dragover", over);
    addEventListener("dragleave", leave);
    addEventListener("drop", drop);
    return () => {
      removeEventListener("dragover", over);
      removeEventListener("dragleave", leave);
      removeEventListener("drop", drop);
    };
  }, []);
  return held;
}
