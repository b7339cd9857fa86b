import type { ComponentChildren } from "preact";

/** What happened, what is shown, what to do: in the place of what cannot be shown. */
export function Problem({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="problem" role="alert">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
