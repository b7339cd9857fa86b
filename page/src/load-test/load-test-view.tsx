import { useEffect } from "preact/hooks";
import { showLoadTest } from "../api/load-tests.ts";
import { useAnswer } from "../api/use-answer.ts";
import { Problem } from "../shell/problem.tsx";

interface LoadTestViewProps {
  readonly id: string;
  readonly onKeyRefused: () => void;
}

/** One load test. */
export function LoadTestView({ id, onKeyRefused }: LoadTestViewProps) {
  const { value, error } = useAnswer(id, (signal) => showLoadTest(id, signal));
  useEffect(() => {
    if (error?.status === 401) onKeyRefused();
  }, [error]);
  if (error !== undefined) {
    return (
      <main>
        <Problem
          title={error.status === 404 ? "No such load test" : "The load test cannot be shown"}
        >
          <p>{error.message}</p>
        </Problem>
      </main>
    );
  }
  return (
    <main>
      <h1>{value?.name ?? " "}</h1>
    </main>
  );
}
