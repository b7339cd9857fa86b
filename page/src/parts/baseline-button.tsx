import { useContext, useState } from "preact/hooks";
import { ApiError } from "../api/api-error.ts";
import { pinBaseline } from "../api/trend.ts";
import { MayWriteContext } from "../shell/may-write.ts";

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
  const [complaint, setComplaint] = useState("");
  const [isAsking, setAsking] = useState(false);
  if (!mayWrite) return null;
  async function onClick(): Promise<void> {
    setAsking(true);
    try {
      await pinBaseline(id, !isPinned);
      setComplaint("");
      onChanged();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setComplaint(error.message);
    } finally {
      setAsking(false);
    }
  }
  const title = isPinned
    ? `Histories of ${name} will begin with its first run again`
    : `Histories of ${name} will begin at this run`;
  return (
    <>
      <button type="button" class="quiet" title={title} disabled={isAsking} onClick={onClick}>
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
