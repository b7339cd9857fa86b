import { expect, test } from "vitest";
import { type MarkdownNode, parseMarkdown, plainText } from "./markdown.ts";

/** As HTML would show it: no escaping, so that a test reads as the tree. */
function shown(nodes: readonly MarkdownNode[]): string {
  return nodes
    .map((node) => {
      if (typeof node === "string") return node;
      const { tag, href, children } = node;
      return `<${tag}${href === undefined ? "" : ` ${href}`}>${shown(children)}</${tag}>`;
    })
    .join("");
}

// Expected by the rules of CommonMark 0.31, but for line breaks, which stay.
test.each([
  ["plain\ntext", "<p>plain\ntext</p>"],
  ["one\n\n\ntwo", "<p>one</p><p>two</p>"],
  ["# Why\nA pool of **5**", "<h3>Why</h3><p>A pool of <strong>5</strong></p>"],
  ["#no heading", "<p>#no heading</p>"],
  ["- a\n- b\n  - c\n- d", "<ul><li>a</li><li>b<ul><li>c</li></ul></li><li>d</li></ul>"],
  ["1. a\n2. b\n- c", "<ol><li>a</li><li>b</li></ol><ul><li>c</li></ul>"],
  ["- a\n  goes on", "<ul><li>a\ngoes on</li></ul>"],
  ["```sh\nk6 run *x* <b>\n```\nafter", "<pre>k6 run *x* <b></pre><p>after</p>"],
  ["```\nnever closed", "<pre>never closed</pre>"],
  ["`a*b*` and *c _d_*", "<p><code>a*b*</code> and <em>c <em>d</em></em></p>"],
  ["snake_case_name, 2 * 3 * 4", "<p>snake_case_name, 2 * 3 * 4</p>"],
  [String.raw`\*no\*`, "<p>*no*</p>"],
  ["[a *b*](https://x.org/y)", "<p><a https://x.org/y>a <em>b</em></a></p>"],
  ["see https://x.org/y.", "<p>see <a https://x.org/y>https://x.org/y</a>.</p>"],
  ["[w](https://x.org/a_(b))", "<p><a https://x.org/a_(b)>w</a></p>"],
])("%j is %s", (text, tree) => {
  expect(shown(parseMarkdown(text))).toBe(tree);
});

test.each([
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "![x](/y.png)",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](data:text/html,x)",
  "[x](//evil.example)",
  "[x](/Api/Keys)",
  "[x](https://good.example@evil.example/)",
  "&lt;b&gt;",
])("%j stays text", (text) => {
  expect(parseMarkdown(text)).toEqual([{ tag: "p", children: expect.anything() }]);
  const children = parseMarkdown(text).flatMap((node) =>
    typeof node === "string" ? [] : node.children,
  );
  expect(shown(children)).toBe(text);
});

test.each([
  ["https://bank.example", "https://bank.example"],
  ["bank.example/pay", "bank.example/pay"],
  ["https://evil.example.bank.example", "https://evil.example.bank.example"],
  ["https://bank.example/?evil.example", "https://bank.example/?evil.example"],
  [String.raw`https:\//bank.example`, "https://bank.example"],
  ["bank.example\u{202e}", "bank.example\u{202e}"],
])("the title %j does not hide another host, which stands before it", (title, text) => {
  expect(shown(parseMarkdown(`[${title}](https://evil.example)`))).toBe(
    `<p><a https://evil.example/>(evil.example) ${text}</a></p>`,
  );
});

test.each(["https://good.example/a?b", "good.example", "the trace", "v1.2"])(
  "the title %j hides nothing",
  (title) => {
    const [paragraph = ""] = parseMarkdown(`[${title}](https://good.example/x)`);
    expect(shown([paragraph])).toBe(`<p><a https://good.example/x>${title}</a></p>`);
  },
);

test.each([
  "[",
  "[a](",
  "*",
  "**a",
  "_a ",
  "`",
  "``",
  "- ",
  "  - a\n",
  "\\",
  "https://",
  "![",
  "((",
  "# ",
  "a\n\n",
  "  a",
])("10 KB of %j take linear time", (piece) => {
  const time = (bytes: number): number => {
    const text = piece.repeat(bytes / piece.length);
    const began = performance.now();
    parseMarkdown(text);
    return performance.now() - began;
  };
  time(10_000);
  // Quadratic, the tenfold text would take the hundredfold time: seconds.
  expect(time(100_000)).toBeLessThan(3000);
});

test.each([
  ["**Pool of 20**, see [ticket](https://example.org/7)", "Pool of 20, see ticket"],
  ["## Release `42`", "Release 42"],
  ["**cut off", "**cut off"],
])("the plain text of %j is %j", (text, plain) => {
  expect(plainText(parseMarkdown(text))).toBe(plain);
});
