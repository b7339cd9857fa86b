import { expect, test } from "vitest";
import type { OpenEmptyStore } from "../store.ts";

export function thresholdsConform(open: OpenEmptyStore): void {
  test("thresholds are kept by name, replaced and removed", async () => {
    // The clock stands still, but changes still take effect in order.
    const { thresholds } = await open({ now: () => 1_700_000_000_000 });
    const name = "kasse 'é' \\ \n";
    expect(await thresholds.find(name)).toBeUndefined();
    await thresholds.keep(name, "first");
    await thresholds.keep("Kasse", "other");
    await thresholds.keep(name, "second");
    expect(await thresholds.find(name)).toBe("second");
    await thresholds.keep(name, undefined);
    await thresholds.keep("unknown", undefined);
    expect(await thresholds.find(name)).toBeUndefined();
    await thresholds.keep(name, "third");
    expect(await thresholds.find(name)).toBe("third");
    expect(await thresholds.find("Kasse")).toBe("other");
    expect(await thresholds.find("unknown")).toBeUndefined();
  });
}
