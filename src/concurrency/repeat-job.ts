export interface JobEffects {
  readonly run: () => Promise<void>;
  readonly everyMs: number;
  /** Calls `run` repeatedly; returns a function that stops it. */
  readonly repeat: (run: () => void, everyMs: number) => () => void;
  /** Called with the error of a failed run; the next one runs anyway. */
  readonly failed: (error: unknown) => void;
}

export interface RepeatedJob {
  /** Stops and waits for a running pass. */
  stop(): Promise<void>;
}

/** Runs now and every `everyMs`, without overlap, until stopped. */
export function repeatJob({ run, everyMs, repeat, failed }: JobEffects): RepeatedJob {
  let running: Promise<void> | undefined;
  const runOnce = async (): Promise<void> => {
    try {
      await run();
    } catch (error) {
      failed(error);
    } finally {
      running = undefined;
    }
  };
  const begin = (): void => {
    running ??= runOnce();
  };
  const end = repeat(begin, everyMs);
  begin();
  return {
    async stop() {
      end();
      await running;
    },
  };
}

/** For `JobEffects.repeat`. */
export function repeatByTimer(run: () => void, everyMs: number): () => void {
  const timer = setInterval(run, everyMs);
  return () => clearInterval(timer);
}
