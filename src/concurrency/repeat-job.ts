interface Job {
  readonly run: () => Promise<void>;
  readonly everyMs: number;
  /** Called with the error of a failed run; the next one runs anyway. */
  readonly failed: (error: unknown) => void;
}

export interface RepeatedJob {
  /** Stops and waits for a running pass. */
  stop(): Promise<void>;
}

/** Runs now and every `everyMs`, without overlap, until stopped. */
export function repeatJob({ run, everyMs, failed }: Job): RepeatedJob {
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
  const timer = setInterval(begin, everyMs);
  begin();
  return {
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
