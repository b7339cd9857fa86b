import type { ComponentChildren } from "preact";
import type { ApiError } from "../api/api-error.ts";

/** Shown instead of a failed part: the problem, what is shown nevertheless, and the cure. */
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

interface RefusedProps {
  /** @default "Couldn't load everything" */
  readonly title?: string;
  /** `undefined`: nothing was refused. */
  readonly error: ApiError | undefined;
}

/** What could not be loaded, and why. */
export function Refused({ title = "Couldn't load everything", error }: RefusedProps) {
  if (error === undefined) return null;
  return (
    <Problem title={title}>
      <p>{error.message}</p>
    </Problem>
  );
}
