import type { ComponentChildren } from "preact";

/** Replaces what cannot be shown: what happened, what is shown, what to do. */
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
