import { z } from "zod";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { LoadTestReader } from "../analysis/load-test-reader.ts";

/** The data that tools read; opened per call, so that each call sees current data. */
export interface Measurements {
  openReader(): Promise<{ readonly reader: LoadTestReader } & AsyncDisposable>;
  openCatalogue(): Promise<{ readonly catalogue: Pick<Catalogue, "list"> } & AsyncDisposable>;
}

/** A read-only tool for a model. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Returns a JSON value. Throws `UserError`, and an error for invalid `input`. */
  answer(input: unknown, measurements: Measurements): Promise<object>;
}

interface ToolPlan<Shape extends z.ZodRawShape> extends Omit<Tool, "input" | "answer"> {
  readonly input: Shape;
  answer(input: z.infer<z.ZodObject<Shape>>, measurements: Measurements): Promise<object>;
}

/** Creates a tool; input members that are not listed are rejected. */
export function toolOf<Shape extends z.ZodRawShape>(plan: ToolPlan<Shape>): Tool {
  const input = z.strictObject(plan.input);
  return {
    ...plan,
    input,
    answer: async (given, measurements) => plan.answer(input.parse(given), measurements),
  };
}
