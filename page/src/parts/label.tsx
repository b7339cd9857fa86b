import { type Role, ROLES } from "../format/whole.ts";

interface LabelProps {
  readonly label: string;
  /** What its rows are, where they are no requests. */
  readonly role?: Role | undefined;
}

/** The label of an endpoint. A method is set apart; what is copied is the label as it is stored. */
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
