import { expect, test } from "vitest";
import type { AccessKey, NewAccessKey } from "../../../src/model/access-key.ts";
import type { Store } from "../../../src/store/store.ts";

export function keysConform(open: () => Promise<Store>): void {
  test("a key is found by its digest, and nothing but it", async () => {
    const { keys } = await open();
    await keys.add(newKey("robot"));
    expect(await keys.find(digestOf("robot"))).toEqual({
      ...newKey("robot"),
      lastUsedAtMs: undefined,
      revokedAtMs: undefined,
    });
    expect(await keys.find(digestOf("other"))).toBeUndefined();
    expect(await keys.find("")).toBeUndefined();
  });

  test("scopes and an expiry are kept", async () => {
    const { keys } = await open();
    const key = { ...newKey("robot"), scopes: ["write", "admin"] as const, expiresAtMs: 99 };
    await keys.add(key);
    expect(await keys.list()).toMatchObject([key]);
  });

  test("expired keys of sign-ins are deleted, and no others", async () => {
    const { keys } = await open();
    await keys.add({ ...newKey("robot"), expiresAtMs: 5 });
    await keys.add({ ...newKey("anna 1"), expiresAtMs: 5, isSignIn: true });
    await keys.add({ ...newKey("it's anna 2"), expiresAtMs: 7, isSignIn: true });
    await keys.touch(digestOf("anna 1"), 3);
    await keys.forgetExpired(6);
    const left = async () => (await keys.list()).map(({ name }) => name);
    await expect.poll(left).toEqual(["it's anna 2", "robot"]);
    expect(await keys.find(digestOf("anna 1"))).toBeUndefined();
    expect(await keys.find(digestOf("it's anna 2"))).toMatchObject({ isSignIn: true });
  });

  test("the project of a key is stored", async () => {
    const { keys } = await open();
    await keys.add({ ...newKey("robot"), project: "web" });
    expect(await keys.find(digestOf("robot"))).toMatchObject({ project: "web" });
  });

  test("the load tests of a link are stored, in order", async () => {
    const { keys } = await open();
    const link = {
      ...newKey("link"),
      loadTestIds: ["b", "a"],
      loadTestTimesMs: [7, 5],
      opensFiles: true,
    };
    await keys.add(link);
    await keys.add(newKey("robot"));
    expect(await keys.list()).toMatchObject([link, { name: "robot" }]);
    expect(await keys.find(digestOf("link"))).toMatchObject({
      loadTestIds: ["b", "a"],
      loadTestTimesMs: [7, 5],
      opensFiles: true,
    });
    expect((await keys.find(digestOf("robot")))?.loadTestIds).toBeUndefined();
  });

  test("a name can be used once, even if its key was revoked", async () => {
    const { keys } = await open();
    await keys.add(newKey("robot"));
    await keys.revoke("robot", 5);
    await expect(
      keys.add({ ...newKey("robot"), digest: digestOf("second") }),
    ).rejects.toMatchObject({ code: "key-name-taken" });
  });

  test("keys are listed by time of creation", async () => {
    const { keys } = await open();
    for (const [name, at] of Object.entries({ c: 3, a: 1, b: 2 })) {
      await keys.add(newKey(name, at));
    }
    expect((await keys.list()).map(({ name }) => name)).toEqual(["a", "b", "c"]);
  });

  test("keys made at the same instant are listed by name", async () => {
    const { keys } = await open();
    for (const name of ["b", "c", "a"]) await keys.add(newKey(name, 7));
    await keys.add(newKey("z", 6));
    expect((await keys.list()).map(({ name }) => name)).toEqual(["z", "a", "b", "c"]);
  });

  test("a revoked key stays, and revoking twice keeps the first time", async () => {
    const { keys } = await open();
    await keys.add(newKey("robot"));
    await keys.revoke("robot", 5);
    await keys.revoke("robot", 9);
    expect(await keys.find(digestOf("robot"))).toMatchObject({ revokedAtMs: 5 });
    await expect(keys.revoke("nobody", 5)).rejects.toMatchObject({ code: "unknown-key-name" });
  });

  test("a key is not revoked if what there is of keys prevents it", async () => {
    const { keys } = await open();
    await keys.add(newKey("robot", 2));
    await keys.add(newKey("anna"));
    await keys.revoke("anna", 5);
    const seen: unknown[] = [];
    const refusal = new Error("refused");
    const refused = keys.revoke("robot", 7, (all) => {
      seen.push(...all);
      throw refusal;
    });
    await expect(refused).rejects.toBe(refusal);
    expect(seen).toEqual(await keys.list());
    expect(seen).toMatchObject([{ name: "anna", revokedAtMs: 5 }, { name: "robot" }]);
    expect(await keys.find(digestOf("robot"))).toMatchObject({ revokedAtMs: undefined });
  });

  test("of keys that are revoked at once, each sees the others", async () => {
    const { keys } = await open();
    const names = Array.from({ length: 6 }, (_, at) => `robot ${at}`);
    await Promise.all(names.map((name) => keys.add(newKey(name))));
    const revoking = names.map((name) =>
      keys.revoke(name, 5, (all) => {
        if (validIn(all) === 1) throw new Error("the last one");
      }),
    );
    const outcomes = (await Promise.allSettled(revoking)).map(({ status }) => status);
    expect(outcomes.filter((status) => status === "rejected")).toHaveLength(1);
    expect(validIn(await keys.list())).toBe(1);
  });

  test("use is kept to the minute and never goes back", async () => {
    const { keys } = await open();
    await keys.add(newKey("robot"));
    await keys.touch(digestOf("robot"), 600_123);
    expect(await keys.find(digestOf("robot"))).toMatchObject({ lastUsedAtMs: 600_000 });
    await keys.touch(digestOf("robot"), 60_000);
    await keys.touch(digestOf("nobody"), 60_000);
    expect(await keys.find(digestOf("robot"))).toMatchObject({ lastUsedAtMs: 600_000 });
  });
}

function validIn(keys: readonly AccessKey[]): number {
  return keys.filter(({ revokedAtMs }) => revokedAtMs === undefined).length;
}

function newKey(name: string, createdAtMs = 1): NewAccessKey {
  return { name, digest: digestOf(name), scopes: ["read"], createdAtMs, expiresAtMs: undefined };
}

function digestOf(name: string): string {
  return Buffer.from(name).toString("hex").padEnd(64, "0");
}
