import { useState } from "preact/hooks";
import { linkTo } from "../address/address.ts";
import { ApiError } from "../api/client.ts";
import { askReport, type Scope } from "../api/figures.ts";
import { saveFile } from "../parts/save-file.ts";

/** Saves what is shown, whatever is selected of it, as one file that needs no service. */
export function ReportButton({ scope }: { readonly scope: Scope }) {
  const [state, setState] = useState<"idle" | "asking" | "failed">("idle");
  async function save(): Promise<void> {
    setState("asking");
    try {
      const address = `${location.origin}${linkTo({ name: "load-test", id: scope.id })}`;
      saveFile(await askReport(scope, address), `${scope.id}.html`);
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
      title="What is shown as one file, to be opened without the service"
      onClick={save}
    >
      {state === "failed" ? "Report (no answer)" : "Report"}
    </button>
  );
}
