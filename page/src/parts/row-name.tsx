import { type Role, ROLES } from "../format/whole.ts";
import { Label } from "./label.tsx";

interface RowNameProps {
  readonly label: string;
  readonly role: Role | undefined;
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

/** The head of an endpoint's row; a click chooses the endpoint, and is not one of the row. */
export function RowName({ label, role, isChosen, onChoose }: RowNameProps) {
  return (
    <th scope="row" class="label" title={role === undefined ? label : `${label} (${ROLES[role]})`}>
      <button
        type="button"
        class="row-name"
        aria-pressed={isChosen}
        onClick={(event) => {
          event.stopPropagation();
          onChoose();
        }}
      >
        <Label label={label} role={role} />
      </button>
    </th>
  );
}
