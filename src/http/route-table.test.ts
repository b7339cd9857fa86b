import { expect, test } from "vitest";
import { PathTable } from "./route-table.ts";

function table(...paths: readonly string[]): PathTable<string> {
  const places = new PathTable<string>();
  for (const path of paths) places.set(path, path);
  return places;
}

const PLACES = table("/", "/t/{id}", "/t/{id}/", "/Api/Keys", "/Api/Keys/", "/Api/Keys/{name}");

test.each([
  ["/", "/", {}],
  ["/api/KEYS", "/Api/Keys", {}],
  ["/%41pi/Key%73", "/Api/Keys", {}],
  ["/Api/Keys/CI", "/Api/Keys/{name}", { name: "CI" }],
  ["/Api/Keys/a%2Fb%C3%A9", "/Api/Keys/{name}", { name: "a/bé" }],
  // A literal path takes precedence over a parameter, which may be empty.
  ["/Api/Keys/", "/Api/Keys/", {}],
  ["/t/", "/t/{id}", { id: "" }],
  ["/t//", "/t/{id}/", { id: "" }],
  ["/t/__proto__", "/t/{id}", { id: "__proto__" }],
])("path %s leads to %s", (path, entry, parameters) => {
  expect(PLACES.find(path)).toEqual({ entry, parameters });
});

test.each(["//", "/t", "/Api", "/Api%2FKeys", "/Api/Keys/a/b", "/t/a//", "/{id}", "/Api/Keys%0A"])(
  "path %s leads nowhere",
  (path) => {
    expect(PLACES.find(path)).toBe(undefined);
  },
);

test("a parameter matches if no literal path does", () => {
  const places = table("/a/b/c", "/a/{x}/d/{y}");
  expect(places.find("/a/b/d/e")).toEqual({
    entry: "/a/{x}/d/{y}",
    parameters: { x: "b", y: "e" },
  });
});

test("two names for a parameter at the same position are an error", () => {
  const places = table("/a/{x}");
  expect(() => places.set("/a/{y}/b", "")).toThrow("BUG: the parameters x and y");
});
