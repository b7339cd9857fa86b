/** The label of an endpoint. A method is set apart; what is copied is the label as it is stored. */
export function Label({ label }: { readonly label: string }) {
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
