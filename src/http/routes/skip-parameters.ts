import type { Parameter } from "../parameters.ts";

export const SKIP_START: Parameter = {
  name: "skipStart",
  description: "Seconds left out at the start of each load test, until it runs steadily.",
  required: false,
  schema: { type: "integer", minimum: 0, maximum: 1_000_000_000, default: 0 },
};

export const SKIP_END: Parameter = {
  ...SKIP_START,
  name: "skipEnd",
  description: "Seconds left out at the end of each load test, from when on it ends.",
};
