/** A thousand texts that people could write to harm who reads them, each of at most 200 characters. */

const PIECES: readonly string[] = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  '"><svg onload=alert(1)>',
  "</textarea><iframe srcdoc='<script>alert(1)</script>'>",
  "<base href='//example.invalid/'>",
  "<style>*{display:none}</style>",
  "[a](javascript:alert(1))",
  "[a](JAVASCRIPT:alert(1))",
  "[a](data:text/html,<script>alert(1)</script>)",
  "![a](https://example.invalid/x.png)",
  "[https://good.example](https://evil.invalid)",
  "[a](https://u:p@evil.invalid)",
  "[a]: javascript:alert(1)",
  "<javascript:alert(1)>",
  "`${alert(1)}`",
  "**bold `code",
  "| a | b |",
  "\u202egnp.exe",
  "\u2066hidden\u2069",
  "\u200b\u200d\ufeff",
  "\u001b]0;title\u0007",
  "\u001b[31mred\u001b[2J",
  "\u009b31m",
  "\u001b]8;;https://evil.invalid\u001b\\link",
  "=cmd|'/c calc'!A0",
  "+1+1",
  "@SUM(1)",
  "-2+3",
  "\t=1+1",
  "@everyone <!channel> <https://evil.invalid|here>",
  "{{constructor.constructor('alert(1)')()}}",
  "../../etc/passwd",
];

/** Joined in pairs, so that a piece also stands behind another one. */
export const HOSTILE_TEXTS: readonly string[] = PIECES.flatMap((first) =>
  PIECES.map((second) => `${first} ${second}`),
).slice(0, 1000);

/** Control characters, and those that change the direction of text. */
export const UNSEEN = /(?!\n)[\p{Cc}\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;
