import { z } from "zod";
import type { Catalogue } from "../catalogue/catalogue.ts";
import type { LoadTestReader } from "../analysis/load-test-reader.ts";

/** What tools read: opened for each call, so that none of them sees what an earlier one saw. */
export interface Measurements {
  openReader(): Promise<{ readonly reader: LoadTestReader } & AsyncDisposable>;
  openCatalogue(): Promise<{ readonly catalogue: ListedLoadTests } & AsyncDisposable>;
}

type ListedLoadTests = Pick<Catalogue, "list">;

/** A question that a model may ask. None of them changes anything. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Something to be written as JSON. Throws where `input` does not fit, and `UserError`. */
  answer(input: unknown, measurements: Measurements): Promise<object>;
}

interface ToolPlan<Shape extends z.ZodRawShape> extends Omit<Tool, "input" | "answer"> {
  readonly input: Shape;
  answer(input: z.infer<z.ZodObject<Shape>>, measurements: Measurements): Promise<object>;
}

/** Makes a tool of the parts of its input; parts that are not listed are refused. */
export function toolOf<Shape extends z.ZodRawShape>(plan: ToolPlan<Shape>): Tool {
  const { name, title, description } = plan;
  const input = z.strictObject(plan.input);
  return {
    name,
    title,
    description,
    input,
    answer: async (given, measurements) => plan.answer(input.parse(given), measurements),
  };
}
