import * as fc from "fast-check";
import { expect, test } from "vitest";
import { LABEL_BYTES_MAX, type UrlGrouping } from "../decoder.ts";
import { LabelGroups } from "./label-groups.ts";

const IDS: UrlGrouping = { ids: true, rules: [] };
const UUID = "550e8400-e29b-41d4-a716-446655440000";
const JWT =
  "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U";

/** Labels and their groups, written by hand from docs/labels.md. */
test.each([
  // Not a URL: unchanged.
  ["", ""],
  ["Login", "Login"],
  ["HTTP Request 12345", "HTTP Request 12345"],
  ["01 Open cart", "01 Open cart"],
  ["Cart / Pay 12345", "Cart / Pay 12345"],
  ["and/or/12345", "and/or/12345"],
  ["helloworld.Greeter/SayHello", "helloworld.Greeter/SayHello"],
  ["SELECT * FROM orders WHERE id = 12345", "SELECT * FROM orders WHERE id = 12345"],
  // URLs without ids: unchanged.
  ["/", "/"],
  ["GET /", "GET /"],
  ["GET /products", "GET /products"],
  ["https://shop.example.org", "https://shop.example.org"],
  ["https://shop.example.org/", "https://shop.example.org/"],
  ["http://node-17.example.org:8080/health", "http://node-17.example.org:8080/health"],
  ["/api/v1/users", "/api/v1/users"],
  ["/api/v2.1/users/", "/api/v2.1/users/"],
  ["/rest/1.0/tags", "/rest/1.0/tags"],
  ["/oauth2/token", "/oauth2/token"],
  ["/how-to-write-a-load-test", "/how-to-write-a-load-test"],
  ["/How-To-Write-A-Load-Test-In-K6", "/How-To-Write-A-Load-Test-In-K6"],
  ["/iphone-15-pro-max-256gb-black", "/iphone-15-pro-max-256gb-black"],
  ["/checkout/step-2", "/checkout/step-2"],
  ["/facade/decade/deadbeef", "/facade/decade/deadbeef"],
  ["/dp/B07XJ8C8F5", "/dp/B07XJ8C8F5"],
  ["/internationalization2", "/internationalization2"],
  ["/getCustomerOrderHistoryForRegion", "/getCustomerOrderHistoryForRegion"],
  ["/js/jquery-3.7.1.min.js", "/js/jquery-3.7.1.min.js"],
  ["/Main_Page_of_the_Encyclopedia", "/Main_Page_of_the_Encyclopedia"],
  ["/caf%C3%A9/%E4%BA%A7%E5%93%81", "/caf%C3%A9/%E4%BA%A7%E5%93%81"],
  ["/产品/列表", "/产品/列表"],
  ["/search?", "/search?"],
  ["/search?debug", "/search?debug"],
  ["/page#section-two", "/page#section-two"],
  ["http://x.example/${}", "http://x.example/${}"],
  // Numbers.
  ["/users/7", "/users/{id}"],
  ["/users/7/", "/users/{id}/"],
  ["GET /users/12345/orders/67", "GET /users/{id}/orders/{id}"],
  ["https://shop.example.org/products/123", "https://shop.example.org/products/{id}"],
  [
    "POST https://user:pw@shop.example.org:8443/p/1",
    "POST https://user:pw@shop.example.org:8443/p/{id}",
  ],
  ["http://[2001:db8::1]:8080/items/42", "http://[2001:db8::1]:8080/items/{id}"],
  ["https://例え.jp/商品/12345", "https://例え.jp/商品/{id}"],
  ["https://bücher.example/buch/12", "https://bücher.example/buch/{id}"],
  ["//cdn.example.org/12", "//cdn.example.org/{id}"],
  ["/geo/52.5200,13.4050", "/geo/{id}"],
  ["/phone/555-123-4567", "/phone/{id}"],
  ["/balance/-12", "/balance/{id}"],
  ["/7.json", "/{id}.json"],
  ["/v1/projects/7:cancel", "/v1/projects/{id}:cancel"],
  ["/odata/Products(7)", "/odata/Products({id})"],
  ["/year=2026/month=11", "/year={id}/month={id}"],
  ["/shoes-12345", "/shoes-{id}"],
  ["/questions/79012345-how-to-fold", "/questions/{id}-how-to-fold"],
  ["/sku/SKU12345", "/sku/SKU{id}"],
  ["/sku/rfc7231/x64", "/sku/rfc7231/x64"],
  ["/%E5%95%86%E5%93%8112345", "/%E5%95%86%E5%93%81{id}"],
  ["/a%20123456%20b", "/a%20{id}%20b"],
  // Dates and times.
  ["/day/2026-11-22", "/day/{id}"],
  ["/at/2026-11-22T10:15:30.123Z", "/at/{id}"],
  ["/at/2026-11-22T10%3A15%3A30%2B01%3A00", "/at/{id}"],
  ["/at/20261122T101530Z", "/at/{id}"],
  ["/at/1763806530123", "/at/{id}"],
  ["/report-2026-11-22.csv", "/report-{id}.csv"],
  // UUIDs, hashes, ULIDs and others.
  [`/orders/${UUID}`, "/orders/{id}"],
  [`/orders/${UUID.toUpperCase()}/items`, "/orders/{id}/items"],
  [`/orders/order-${UUID}.pdf`, "/orders/order-{id}.pdf"],
  [`/orders/%7B${UUID}%7D`, "/orders/%7B{id}%7D"],
  ["/orders/550e8400e29b41d4a716446655440000", "/orders/{id}"],
  ["/commit/3f2a91b", "/commit/{id}"],
  ["/commit/9fceb02d0ae598e95dc970b74767f19372d61af8", "/commit/{id}"],
  ["/hex/deadbeefdeadbeef", "/hex/{id}"],
  ["/assets/app.3f2a91bc.js", "/assets/app.{id}.js"],
  ["/assets/main-3f2a91bc.css", "/assets/main-{id}.css"],
  ["/mongo/507f1f77bcf86cd799439011", "/mongo/{id}"],
  ["/ulid/01ARZ3NDEKTSV4RRFFQ69G5FAV", "/ulid/{id}"],
  ["/ksuid/0ujtsYcgvSTl8PAuAdqWYSMnLOv", "/ksuid/{id}"],
  ["/cuid/cjld2cjxh0000qzrmn831i7rn", "/cuid/{id}"],
  ["/push/-KmcxYh2Yy3B-6Ubn1yN", "/push/{id}"],
  ["/b64/QWxhZGRpbjpvcGVuIHNlc2FtZQ", "/b64/{id}"],
  ["/b64/QWxhZGRpbjpvcGVuIHNlc2FtZQ%3D%3D", "/b64/{id}%3D%3D"],
  [`/token/${JWT}`, "/token/{id}.{id}.{id}"],
  // Queries and fragments.
  ["/list?page=3&q=x", "/list?page={id}&q={id}"],
  ["/list?q=x&page=3", "/list?q={id}&page={id}"],
  ["/list?page=&q=", "/list?page=&q="],
  ["/list?id=1&id=2&id=3&sort=up", "/list?id={id}&sort={id}"],
  ["/list?id=1&sort=up&id=2", "/list?id={id}&sort={id}&id={id}"],
  ["/list?id=1&id=&id=2", "/list?id={id}&id=&id={id}"],
  ["/list?filter[price]=a=b", "/list?filter[price]={id}"],
  ["/list?&&a=1&", "/list?&&a={id}&"],
  ["/js/app.js?1763806530", "/js/app.js?{id}"],
  ["https://shop.example.org?ref=abc", "https://shop.example.org?ref={id}"],
  ["/go?to=https://x.example/12?a=b", "/go?to={id}"],
  ["/cart;jsessionid=A1B2C3/pay;v=2?x=1", "/cart;jsessionid={id}/pay;v={id}?x={id}"],
  ["/#/users/123?tab=1", "/#/users/{id}?tab={id}"],
  ["/doc#line-12345", "/doc#line-{id}"],
  // Other text around a URL.
  ["[PUT] https://x.example/a/12 (retry 12345)", "[PUT] https://x.example/a/{id} (retry 12345)"],
  ["Group / GET /users/12", "Group / GET /users/{id}"],
  ["GET /a/12 then /b/13", "GET /a/{id} then /b/{id}"],
  ["GET  /a/12 ", "GET  /a/{id} "],
])("%j is folded to %j", (label, folded) => {
  expect(fold(label, IDS)).toBe(folded);
  expect(fold(folded, IDS)).toBe(folded);
});

/** Labels that JMeter gives to sub-results keep their suffix. */
test.each([
  ["/products/123", "/products/{id}"],
  ["/products/123-0", "/products/{id}-0"],
  ["/products/123-0-1", "/products/{id}-0-1"],
  ["/list?page=3-0", "/list?page={id}-0"],
  ["/home-12", "/home-12"],
  ["/day/2026-11-22", "/day/{id}"],
  ["/day/2026-11-22-0", "/day/{id}-0"],
  [`/orders/${UUID}`, "/orders/{id}"],
  [`/orders/${UUID}-1`, "/orders/{id}-1"],
  ["HTTP Request-0", "HTTP Request-0"],
  ["-1", "-1"],
])("in JMeter files, %j is folded to %j", (label, folded) => {
  expect(fold(label, IDS, true)).toBe(folded);
});

test.each([
  ["GET https://h.example/products/123?x=1#y", ["/products/*"], "GET https://h.example/products/*"],
  ["/products/", ["/products/*"], "/products/"],
  ["/products/1/2", ["/products/*"], "/products/1/2"],
  ["/products/1/", ["/products/*"], "/products/1/"],
  ["/products/1/reviews/x", ["/products/*/reviews/*"], "/products/*/reviews/*"],
  ["/static/a/b/c.js?v=1", ["/static/**"], "/static/**"],
  ["/static/", ["/static/**"], "/static/**"],
  ["/static", ["/static/**"], "/static"],
  ["/img/a.png", ["/img/*.png"], "/img/*.png"],
  ["/img/.png", ["/img/*.png"], "/img/.png"],
  ["/img/a.b.png", ["/img/*.png"], "/img/*.png"],
  ["/img/a-b-c", ["/img/a*b*"], "/img/a*b*"],
  ["/a/b", ["/a/*", "/*/b"], "/a/*"],
  ["/x/b", ["/a/*", "/*/b"], "/*/b"],
  ["/", ["/*"], "/"],
  ["GET /", ["/**"], "GET /**"],
  ["Cart / Pay", ["/**"], "Cart / Pay"],
  ["/", ["/**"], "/**"],
  ["https://h.example", ["/**"], "https://h.example"],
  ["https://h.example?x", ["/**"], "https://h.example?x"],
  ["/产品/一", ["/产品/*"], "/产品/*"],
  ["/a/1 and /a/2", ["/a/*"], "/a/* and /a/*"],
  ["products/12", ["/products/*"], "products/12"],
])("%j with the rules %j is folded to %j", (label, rules, group) => {
  expect(fold(label, { ids: false, rules })).toBe(group);
});

test("rules apply before ids, and their result is final", () => {
  const grouping = { ids: true, rules: ["/v/*/12345"] };

  expect(fold("/v/x/12345", grouping)).toBe("/v/*/12345");
  expect(fold("/v/x/123456", grouping)).toBe("/v/x/{id}");
});

test.each([
  ["products/*"],
  [""],
  ["/a b"],
  ["/a?x=*"],
  ["/a#b"],
  ["/a,b"],
  ["/a/**/b"],
  ["/a/x**"],
])("the rule %j is refused", (rule) => {
  expect(() => new LabelGroups({ ids: false, rules: [rule] }, false)).toThrow(
    expect.objectContaining({ code: "bad-parameter" }),
  );
});

const WORDS = ["{id}", "%E4%BA", "%2F", "a", "Zz", "12", "2026-11-22", "3f2a91bc", UUID, "产"];
const CHARACTERS = ["/", "?", "&", "=", "#", ";", ".", "-", "_", "(", ":", " ", "%", "T", "0", "9"];
const LABELS = fc
  .array(fc.constantFrom(...WORDS, ...CHARACTERS), { maxLength: 24 })
  .map((parts) => parts.join(""));

test.each([["/"], ["GET https://h.example/"], ["/?"], [""]])(
  "after %j, folding again changes nothing, for any label",
  (start) => {
    fc.assert(
      fc.property(fc.oneof(LABELS, fc.string({ unit: "binary" })), (rest) => {
        const once = fold(start + rest, IDS);

        expect(fold(once, IDS)).toBe(once);
      }),
      { numRuns: 300 },
    );
  },
);

test("any bytes are folded, and to a valid label if they were one", () => {
  const groups = new LabelGroups({ ids: true, rules: ["/*/x", "/a*b/**"] }, true);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 2 * LABEL_BYTES_MAX }), (bytes) => {
      groups.fold(bytes, 0, bytes.length);

      const isStorable = groups.folded.length <= LABEL_BYTES_MAX;
      expect(isStorable || bytes.length > LABEL_BYTES_MAX).toBe(true);
    }),
  );
});

test("a label that would exceed the length limit is not folded", () => {
  const label = "/1".repeat(LABEL_BYTES_MAX / 2);

  expect(fold(label, IDS)).toBe(label);
});

test("a label over the length limit is stored if its group is not", () => {
  expect(fold(`/search?q=${"x".repeat(LABEL_BYTES_MAX)}`, IDS)).toBe("/search?q={id}");
});

test("a path of letters stays, however long its words, with any separators", () => {
  const words = fc.stringMatching(/^[a-z]{0,12}$/);
  fc.assert(
    fc.property(fc.array(words), fc.constantFrom("-", "_", ".", "/", "%20"), (path, between) => {
      const label = `/${path.join(between)}`;

      // More than 15 letters from a to f count as a hash.
      fc.pre(!/[a-f]{16}/.test(label));
      expect(fold(label, IDS)).toBe(label);
    }),
  );
});

/** Folds a label in the middle of other bytes. */
function fold(label: string, grouping: UrlGrouping, keepsPlaces = false): string {
  const groups = new LabelGroups(grouping, keepsPlaces);
  const bytes = Buffer.from(`12${label}34`);
  groups.fold(bytes, 2, bytes.length - 2);
  return Buffer.from(groups.folded.bytes.subarray(0, groups.folded.length)).toString();
}
