import { killUnderLoad } from "../around/kill-under-load.ts";
import type { Fault } from "../frame/fault.ts";

export const killRecovering: Fault = {
  id: "C3",
  title:
    "The server is killed under load, and once more while it opens the store again: what C1 says holds.",
  rounds: { fast: 4, nightly: 100, release: 400 },
  run: (context) => killUnderLoad(context, { again: true }),
};
