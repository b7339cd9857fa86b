/** Stands where a secret was. */
export const REDACTED = "[redacted]";

/** Match anywhere in a name. */
const PARTS: readonly string[] = [
  "passw|passphrase|passcode|passkey|pwd|secret|token|session|sessid|credential|authoriz|apikey|accesskey",
  "privatekey|jwt|cookie|signature|serviceauth",
  // OAuth, OpenID Connect and SAML beside these.
  "verifier|clientassertion|samlassertion|samlresponse|samlrequest|relaystate",
  "devicecode|usercode|authcode|accesscode|logincode|resetcode|securitycode|recoverycode|backupcode",
  "verificationcode|confirmationcode|activationcode|mfacode|smscode|onetimecode",
].flatMap((names) => names.split("|"));
const PART = new RegExp(PARTS.join("|"));
/** A name with one of these as a word: `api_key` and `apiKey`, but neither `monkey` nor `keyword`. */
const SECRET_WORDS = "key|keys|pass|pw|pin|cvv|cvc|sid|auth|sig|otp|totp|csrf|xsrf|bearer|nonce";
const WORD = new RegExp(`^(?:${SECRET_WORDS})$`);
/** Alone: longer names such as `assertionResults` are those of tests. */
const WHOLE = /^assertion$/;
/** Names of what identifies a row, and numbers of language models, which only sound like secrets. */
const HARMLESS =
  /(?:primary|foreign|sort|partition|routing|composite|surrogate|candidate|public|issue|cache|row)[_.-]?keys?|(?:max|min|prompt|completion|input|output|total|cached|reasoning)[_.-]?tokens|token[_.-]?(?:count|type)|assertion[_.-]?type/gi;
/** Of exceptions, whose messages say what is wrong, and of files, as in `SessionStore.java:12`. */
const NO_FIELD =
  /(?:Exception|Error)$|\w\.(?:java|kt|scala|groovy|[cm]?[jt]sx?|py|go|rs|rb|php|cs|cpp)$/;
const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g;

/** Texts without these hold no name that is secret. */
export const MAY_BE_NAME = new RegExp(
  [
    // What may be decoded to a letter or be one in lower case.
    String.raw`%[\da-fA-F]{2}|\\[uU]|[\u0130\u212a]`,
    [...PARTS, "assertion"].map((part) => Array.from(part, anyCase).join("[^a-zA-Z]*")),
    SECRET_WORDS.split("|").map((word) => {
      const [first = "", ...rest] = word;
      const letters = rest.map(anyCase).join("");
      return `(?:(?<![a-z])${first}|${first.toUpperCase()})${letters}(?![a-z])`;
    }),
  ]
    .flat()
    .join("|"),
);

function anyCase(letter: string): string {
  return `[${letter}${letter.toUpperCase()}]`;
}

/** Answers so far: bodies of a run repeat their names. */
const known = new Map<string, boolean>();
const KNOWN_MAX = 2000;

/** Whether a field of this name holds a secret. */
export function isSecretName(written: string): boolean {
  const before = known.get(written);
  if (before !== undefined) return before;
  const isSecret = soundsSecret(written);
  if (known.size === KNOWN_MAX) known.clear();
  known.set(written, isSecret);
  return isSecret;
}

function soundsSecret(written: string): boolean {
  const name = decoded(written);
  if (NO_FIELD.test(name)) return false;
  const rest = name.replace(HARMLESS, "");
  if (WHOLE.test(rest) || PART.test(rest.toLowerCase().replace(/[^a-z]/g, ""))) return true;
  return rest.match(WORDS)?.some((word) => WORD.test(word.toLowerCase())) === true;
}

function decoded(name: string): string {
  const plain = name.replace(/\\u([0-9a-f]{4})/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  try {
    return decodeURIComponent(plain);
  } catch {
    return plain;
  }
}
