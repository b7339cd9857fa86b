import { changeParameters } from "../../address/use-address.ts";
import { ChooseFrom } from "../../parts/choose-from.tsx";
import { Popup } from "../../parts/popup.tsx";
import { type MeasureGroup, namesText } from "./measure-groups.ts";
import { pin } from "./use-measures.ts";

interface ChooseMeasuresProps {
  /** Of the load test; the choice applies to all of this name. */
  readonly name: string;
  readonly groups: readonly MeasureGroup[];
  /** Names of measures. */
  readonly chosen: readonly string[];
}

/** Chooses the measures that are drawn; nothing if there are none. */
export function ChooseMeasures({ name, groups, chosen }: ChooseMeasuresProps) {
  if (groups.length === 0) return null;
  const names = new Set(groups.map((group) => group.name));
  return (
    <Popup button="Measures…" label="Choose measures" buttonClass="quiet">
      {() => (
        <ChooseFrom
          name="measures"
          all={[...names].map((value) => ({ value }))}
          chosen={chosen}
          onChoose={(next) => {
            pin(name, next);
            changeParameters({ measures: namesText(next) }, "replace");
          }}
        />
      )}
    </Popup>
  );
}
