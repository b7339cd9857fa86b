import { z } from "zod";
import type { Api } from "../client/api.ts";

/** Opens what tools read, for each call, so that each sees current data. */
export type OpenApi = () => Promise<Api & AsyncDisposable>;

export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Returns a JSON value. Throws `UserError`, and an error for invalid `input`. */
  answer(input: unknown, open: OpenApi): Promise<object>;
}

interface ToolPlan<Shape extends z.ZodRawShape> extends Omit<Tool, "input" | "answer"> {
  readonly input: Shape;
  answer(input: z.infer<z.ZodObject<Shape>>, open: OpenApi): Promise<object>;
}

/** Creates a tool; input members that are not listed are rejected. */
export function toolOf<Shape extends z.ZodRawShape>(plan: ToolPlan<Shape>): Tool {
  const input = z.strictObject(plan.input);
  return {
    ...plan,
    input,
    answer: async (given, open) => plan.answer(input.parse(given), open),
  };
}
