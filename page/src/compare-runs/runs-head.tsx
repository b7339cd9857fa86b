import type { ComparedRuns } from "../api/comparison.ts";

interface RunsHeadProps extends Pick<ComparedRuns, "loadTests"> {
  /** Head of the first column. */
  readonly label: string;
}

/** The head of a table with a column for each run. */
export function RunsHead({ label, loadTests }: RunsHeadProps) {
  return (
    <thead>
      <tr>
        <th class="label">{label}</th>
        {loadTests.map(({ id, value }, at) => (
          <th key={id} class="numeric" title={id}>
            {`${at + 1} ${at === 0 ? "base " : ""}${value ?? id}`}
          </th>
        ))}
      </tr>
    </thead>
  );
}
