import { useRef, useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";

/**
 * Runs one task at a time and keeps why the service refused it, in the words of `textOf`. Returns whether the task
 * succeeded; `undefined` while another one runs.
 */
export function useAttempt(first = "") {
  const [complaint, setComplaint] = useState(first);
  const [isRunning, setRunning] = useState(false);
  const running = useRef(false);
  async function attempt(
    task: () => Promise<unknown>,
    textOf = ({ message }: ApiError): string => message,
  ): Promise<boolean | undefined> {
    if (running.current) return undefined;
    running.current = true;
    setRunning(true);
    setComplaint("");
    try {
      await task();
      return true;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setComplaint(textOf(error));
      return false;
    } finally {
      running.current = false;
      setRunning(false);
    }
  }
  return { complaint, isRunning, attempt };
}

/** Sends a form as a task. The button stays enabled: a disabled one would lose the focus. */
export function useSubmit(send: (fields: FormData) => Promise<void>) {
  const { complaint, attempt } = useAttempt();
  async function onSubmit(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const fields = new FormData(event.currentTarget as HTMLFormElement);
    await attempt(() => send(fields));
  }
  return { complaint, onSubmit };
}

/** A field without blanks at its ends. */
export function nameIn(fields: FormData, field = "name"): string {
  const text = fields.get(field);
  return typeof text === "string" ? text.trim() : "";
}
