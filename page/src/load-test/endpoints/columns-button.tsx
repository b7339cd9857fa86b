import { changeParameters } from "../../address/use-address.ts";
import { Popup } from "../../parts/popup.tsx";
import { COLUMN_NAMES } from "./endpoint-columns.ts";

/** Adds and removes columns of the endpoint table. */
export function ColumnsButton({ requested }: { readonly requested: readonly string[] }) {
  return (
    <Popup button="Columns…" buttonClass="quiet" side="right">
      {() => (
        <fieldset>
          <legend>Further columns</legend>
          {COLUMN_NAMES.map((name) => (
            <label key={name}>
              <input
                type="checkbox"
                checked={requested.includes(name)}
                onChange={() => toggle(requested, name)}
              />{" "}
              {name}
            </label>
          ))}
        </fieldset>
      )}
    </Popup>
  );
}

function toggle(requested: readonly string[], name: string): void {
  const others = requested.filter((each) => each !== name);
  const names = requested.includes(name) ? others : [...others, name];
  changeParameters({ columns: names.length === 0 ? undefined : names.join(",") }, "replace");
}
