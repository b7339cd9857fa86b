import { useEffect, useRef, useState } from "preact/hooks";
import type { Outage } from "./live.tsx";

interface NoAnswerProps {
  readonly outage: Outage;
  readonly formatTime: (second: number) => string;
}

/** One line while a load test that runs cannot be asked for; it goes without a word. */
export function NoAnswer({ outage, formatTime }: NoAnswerProps) {
  const { sinceSecond, nextTryAtMs, onTry } = outage;
  const line = useRef<HTMLDivElement>(null);
  useEffect(
    () => () => {
      // Who had just pressed the button is left on the next one.
      const isHeld = line.current?.contains(document.activeElement) ?? false;
      if (isHeld) document.querySelector<HTMLElement>(".load-test-head button")?.focus();
    },
    [],
  );
  return (
    <div class="no-answer" ref={line}>
      <p>
        <span role="alert">
          <span class="slow" aria-hidden="true">
            ▲
          </span>{" "}
          <b>{`No answer since ${formatTime(sinceSecond)}.`}</b>{" "}
          <span class="rest">What is shown ends there.</span>
        </span>{" "}
        <NextTry atMs={nextTryAtMs} />
      </p>
      <button type="button" onClick={onTry}>
        Try now
      </button>
    </div>
  );
}

/** Counts down by itself, unheard. */
function NextTry({ atMs }: { readonly atMs: number }) {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const timer = setInterval(() => setNowMs(Date.now()), 250);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.ceil((atMs - nowMs) / 1000);
  return (
    <span class="rest" aria-hidden="true">
      {seconds > 0 ? `Next try in ${seconds} s.` : "Trying."}
    </span>
  );
}
