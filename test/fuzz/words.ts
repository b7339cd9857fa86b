/** Bytes with a meaning in some format. */
const COMMON = [
  ..."0|-1|1|007|1e999|1e-05|-0|+1|1.5|1,5|NaN|Infinity|null|true|false|TRUE|tru".split("|"),
  ..."4294967295|4294967296|9007199254740991|9007199254740992|18446744073709551616".split("|"),
  ..."9223372036854775807|1795232610|1795232610052|1795232610052000000|253402300800000".split("|"),
  ..."2026-11-21T03:43:30.052Z|2026-02-30 25:61:61|__proto__|constructor|../|%00|%zz|%ff".split(
    "|",
  ),
  ..."[|]|{|}|[[[[|{}}|<!DOCTYPE a>|<![CDATA[|]]>|<!--|-->|&#x0;|&#xD800;|&lt;|</|/>|<?".split("|"),
  ...'\\u0000|\\ud800|\\|\\"|\'|"|""|,|,,,,|;|\t|\t\t|\n|\r|\r\n|\n\n\n| |=|#|:|/'.split("|"),
  "|",
  "\u0000",
  "\u{FEFF}",
  "\u{1F600}",
  "\u2028",
  "x".repeat(1100),
  // Nested too deeply for the stack.
  "[".repeat(9000) + "]".repeat(9000),
  `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`,
];

const NOT_UTF8 = [
  [0xff],
  [0xc3, 0x28],
  [0xed, 0xa0, 0x80],
  [0xf0, 0x9f],
  [0, 0, 0, 0],
  [0x7f, 0xff, 0xff, 0xff],
  [0x80, 0, 0, 0],
  [0x1f, 0x8b, 8, 0],
];

/** The words of a format, between its punctuation. */
const WORD = /[\w.\-:]{2,40}/g;
const WORDS_MAX = 400;

/** A dictionary: the common words and those of `seeds`. */
export function wordsOf(seeds: readonly Uint8Array[]): readonly Uint8Array[] {
  const found = seeds.flatMap((seed) => Buffer.from(seed).toString("latin1").match(WORD) ?? []);
  const own = [...new Set(found)].slice(0, WORDS_MAX);
  return [
    ...COMMON.map((word) => Buffer.from(word)),
    ...NOT_UTF8.map((bytes) => Uint8Array.from(bytes)),
    ...own.map((word) => Buffer.from(word, "latin1")),
  ];
}
