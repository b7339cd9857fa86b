import { expect, test } from "vitest";
import type { LoadTest } from "../api/load-tests.ts";
import { basesFor } from "./bases.ts";

test("runs of the same name are listed separately, each once, without the run itself", () => {
  const listed = ["n3 nightly", "n1 nightly", "x2 spike", "n3 nightly", "n2 nightly"].map(
    (text) => {
      const [id, name] = text.split(" ");
      return { id, name } as LoadTest;
    },
  );
  const { sameName, others } = basesFor({ id: "n2", name: "nightly" }, listed);
  expect(sameName.map(({ id }) => id)).toEqual(["n3", "n1"]);
  expect(others.map(({ id }) => id)).toEqual(["x2"]);
});
