import { useContext } from "preact/hooks";
import { pinBaseline } from "../api/trend.ts";
import { MayWriteContext } from "../shell/may-write.ts";
import { useAttempt } from "./use-submit.ts";

interface BaselineButtonProps {
  readonly id: string;
  /** Name of the series whose history begins at the baseline. */
  readonly name: string;
  readonly isPinned: boolean;
  /** Called when it was pinned or unpinned. */
  readonly onChanged: () => void;
}

/** Pins or unpins a load test as the baseline of its name; needs a key with write access. */
export function BaselineButton({ id, name, isPinned, onChanged }: BaselineButtonProps) {
  const mayWrite = useContext(MayWriteContext);
  const { complaint, isRunning, attempt } = useAttempt();
  if (!mayWrite) return null;
  const onClick = () =>
    attempt(async () => {
      await pinBaseline(id, !isPinned);
      onChanged();
    });
  const title = isPinned
    ? `Histories of ${name} will begin with its first run again`
    : `Histories of ${name} will begin at this run`;
  return (
    <>
      <button type="button" class="quiet" title={title} disabled={isRunning} onClick={onClick}>
        {isPinned ? "Unpin baseline" : "Pin as baseline"}
      </button>
      {complaint === "" ? null : (
        <span class="complaint" role="alert">
          {complaint}
        </span>
      )}
    </>
  );
}
