import { useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";

interface SaveButtonProps {
  readonly name: string;
  readonly title: string;
  /** Requests and saves the content. */
  readonly save: () => Promise<void>;
}

/** A button that saves a file, and says so if the service does not answer. */
export function SaveButton({ name, title, save }: SaveButtonProps) {
  const [state, setState] = useState<"idle" | "asking" | "failed">("idle");
  async function onClick(): Promise<void> {
    setState("asking");
    try {
      await save();
      setState("idle");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setState("failed");
    }
  }
  return (
    <button
      type="button"
      class="quiet"
      disabled={state === "asking"}
      title={title}
      onClick={onClick}
    >
      {state === "failed" ? `${name} (no answer)` : name}
    </button>
  );
}
