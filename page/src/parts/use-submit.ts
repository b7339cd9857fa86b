import { useRef, useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";

/**
 * Sends a form, once at a time, and keeps why the service refused it. The button stays enabled: a disabled one would
 * lose the focus.
 */
export function useSubmit(send: (fields: FormData) => Promise<void>) {
  const [complaint, setComplaint] = useState("");
  const isSending = useRef(false);
  async function onSubmit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if (isSending.current) return;
    isSending.current = true;
    setComplaint("");
    try {
      await send(new FormData(event.currentTarget as HTMLFormElement));
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setComplaint(error.message);
    } finally {
      isSending.current = false;
    }
  }
  return { complaint, onSubmit };
}

/** The field `name` without blanks at its ends. */
export function nameIn(fields: FormData): string {
  const name = fields.get("name");
  return typeof name === "string" ? name.trim() : "";
}
