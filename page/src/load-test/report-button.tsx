import { addressTo } from "../address/address.ts";
import { askReport, type Scope } from "../api/figures.ts";
import { SaveButton } from "../parts/save-button.tsx";
import { saveFile } from "../parts/save-file.ts";

const TITLE = "This view as one file that opens without the server";

/** Saves the scope, regardless of the selection, as one file that needs no service. */
export function ReportButton({ scope }: { readonly scope: Scope }) {
  async function save(): Promise<void> {
    const address = `${location.origin}${addressTo({ name: "load-test", id: scope.id })}`;
    saveFile(await askReport(scope, address), `${scope.id}.html`);
  }
  return <SaveButton name="Report" title={TITLE} save={save} />;
}
