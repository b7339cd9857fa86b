import { useState } from "preact/hooks";
import { ApiError } from "../api/client.ts";
import { askEach, type Scope } from "../api/figures.ts";
import { saveText } from "../parts/save-text.ts";
import { csvText } from "./csv-text.ts";

interface CsvButtonProps {
  readonly scope: Scope;
  /** Seconds of a point. */
  readonly resolution: number;
}

/** Saves what is shown, by endpoint and point, as a file. */
export function CsvButton({ scope, resolution }: CsvButtonProps) {
  const [state, setState] = useState<"idle" | "asking" | "failed">("idle");
  async function save(): Promise<void> {
    setState("asking");
    try {
      const { signal } = new AbortController();
      const series = await askEach(scope, resolution, signal, "50,95,99");
      saveText(csvText(series), `${scope.id}.csv`);
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
      title={`Every endpoint that is shown, ${resolution} s a point`}
      onClick={save}
    >
      {state === "failed" ? "CSV (no answer)" : "CSV"}
    </button>
  );
}
