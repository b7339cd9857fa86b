import { askEach, type Scope } from "../api/figures.ts";
import { SaveButton } from "../parts/save-button.tsx";
import { saveText } from "../parts/save-text.ts";
import { csvText } from "./csv-text.ts";

interface CsvButtonProps {
  readonly scope: Scope;
  /** Seconds of a point. */
  readonly resolution: number;
}

/** Saves what is shown, by endpoint and point, as a file. */
export function CsvButton({ scope, resolution }: CsvButtonProps) {
  async function save(): Promise<void> {
    const { signal } = new AbortController();
    const series = await askEach(scope, resolution, signal, "50,95,99");
    saveText(csvText(series), `${scope.id}.csv`);
  }
  const title = `Every endpoint that is shown, ${resolution} s a point`;
  return <SaveButton name="CSV" title={title} save={save} />;
}
