import { type Role, ROLES } from "../format/whole.ts";
import { Label } from "./label.tsx";

interface RowNameProps {
  /** `undefined`: all endpoints together. */
  readonly label: string | undefined;
  readonly role?: Role | undefined;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

/** The header cell of an endpoint's row. A click on the name chooses the endpoint and does not reach the row. */
export function RowName({ label, role, isChosen, onChoose }: RowNameProps) {
  const all = label ?? "All endpoints together";
  return (
    <th scope="row" class="label" title={role === undefined ? all : `${all} (${ROLES[role]})`}>
      <button
        type="button"
        class="row-name"
        aria-pressed={isChosen}
        onClick={(event) => {
          event.stopPropagation();
          onChoose();
        }}
      >
        {label === undefined ? "All endpoints" : <Label label={label} role={role} />}
      </button>
    </th>
  );
}
