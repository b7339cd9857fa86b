import type { CopyStep } from "../operations/copy/copy-load-test.ts";
import { formatCount } from "./format-quantity.ts";
import type { Shell } from "./shell.ts";

const REFRESH_MS = 200;

interface CopyProgress {
  readonly tell: (step: CopyStep) => void;
  /** Takes the line away. */
  clear(): void;
}

/** Shows on a terminal which load test is copied or compared, and how far that is. Silent elsewhere. */
export function showCopyProgress(
  shell: Pick<Shell, "writeError" | "errorIsTerminal" | "now">,
): CopyProgress {
  let shown: CopyStep | undefined;
  let shownAtMs = 0;
  return {
    tell(step) {
      const isSame = shown?.loadTestId === step.loadTestId && shown.doing === step.doing;
      shown = { ...step, points: step.points + (isSame ? (shown?.points ?? 0) : 0) };
      if (!shell.errorIsTerminal || shell.now() - shownAtMs < REFRESH_MS) return;
      shownAtMs = shell.now();
      const points = formatCount(shown.points, "point");
      shell.writeError(`\r\u001b[K${step.doing} ${step.loadTestId}: ${points}`);
    },
    clear() {
      if (shell.errorIsTerminal && shown !== undefined) shell.writeError("\r\u001b[K");
      shown = undefined;
    },
  };
}
