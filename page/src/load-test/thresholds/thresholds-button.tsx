import { useContext, useState } from "preact/hooks";
import type { Verdict } from "../../api/thresholds.ts";
import { Popup } from "../../parts/popup.tsx";
import { MayWriteContext } from "../../shell/may-write.ts";
import { ThresholdsForm } from "./thresholds-form.tsx";
import { leftOutText, measuredText, policyText, resultOf, windowText } from "./threshold-words.ts";

interface ThresholdsButtonProps {
  readonly name: string;
  readonly verdict: Verdict | undefined;
  readonly formatTime: (second: number) => string;
  readonly onEdited: () => void;
}

/** Opens the thresholds of the load test's name, to edit with a key that may write. */
export function ThresholdsButton(props: ThresholdsButtonProps) {
  const { name, verdict, formatTime, onEdited } = props;
  const mayWrite = useContext(MayWriteContext);
  if (verdict === undefined || (verdict.thresholds.length === 0 && !mayWrite)) return null;
  return (
    <Popup side="right" button="Thresholds…">
      {(close) => (
        <Panel
          name={name}
          verdict={verdict}
          formatTime={formatTime}
          mayWrite={mayWrite}
          onSaved={() => {
            onEdited();
            close();
          }}
          onCancel={close}
        />
      )}
    </Popup>
  );
}

interface PanelProps extends ResultsProps {
  readonly name: string;
  readonly mayWrite: boolean;
  readonly onSaved: () => void;
  readonly onCancel: () => void;
}

function Panel({ name, mayWrite, onSaved, onCancel, ...shown }: PanelProps) {
  const [isEditing, setEditing] = useState(shown.verdict.thresholds.length === 0);
  return (
    <section class="thresholds" aria-label="Thresholds">
      <h2>Thresholds of {name}</h2>
      {isEditing ? (
        <ThresholdsForm name={name} onSaved={onSaved} onCancel={onCancel} />
      ) : (
        <>
          <Results {...shown} />
          {mayWrite ? (
            <button type="button" onClick={() => setEditing(true)}>
              Edit…
            </button>
          ) : null}
        </>
      )}
    </section>
  );
}

interface ResultsProps {
  readonly verdict: Verdict;
  readonly formatTime: (second: number) => string;
}

function Results({ verdict, formatTime }: ResultsProps) {
  const { thresholds } = verdict;
  const leftOut = leftOutText(verdict);
  return (
    <table>
      {leftOut === "" ? null : (
        <caption>
          The worst {thresholds.length}; {leftOut}
        </caption>
      )}
      <thead>
        <tr>
          <th scope="col">result</th>
          <th scope="col">fail if</th>
          <th scope="col">measured</th>
        </tr>
      </thead>
      <tbody>
        {thresholds.map((checked, index) => {
          const result = resultOf(checked);
          const policy = policyText(checked);
          const window = windowText(checked, formatTime);
          return (
            <tr key={index}>
              <td class={result.replace(" ", "-")}>{result}</td>
              <td>
                <code>{checked.failIf}</code>
                {policy === "" ? null : <span class="detail">{policy}</span>}
              </td>
              <td>
                {measuredText(checked, verdict)}
                {window === "" ? null : <span class="detail">{window}</span>}
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
