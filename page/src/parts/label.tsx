import { type Role, ROLES } from "../format/whole.ts";

interface LabelProps {
  readonly label: string;
  /** Role of its rows, if they are not requests. */
  readonly role?: Role | undefined;
}

/** An endpoint's label with the method set apart; copying gives the stored label. */
export function Label({ label, role }: LabelProps) {
  if (role === undefined) return <LabelText label={label} />;
  return (
    <span class="with-role">
      <span class="text">
        <LabelText label={label} />
      </span>
      <small class="role">{ROLES[role]}</small>
    </span>
  );
}

function LabelText({ label }: { readonly label: string }) {
  if (label === "") return <i class="none">(empty)</i>;
  const method = /^([A-Z]+) (?=\/)/.exec(label)?.[1];
  if (method === undefined) return <>{label}</>;
  return (
    <>
      <span class="method">{`${method} `}</span>
      {label.slice(method.length + 1)}
    </>
  );
}
