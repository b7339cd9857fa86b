import { assert, constantFrom, nat, property, stringMatching } from "fast-check";
import { expect, test } from "vitest";
import { redactText } from "./redact.ts";
import { sampleOf } from "./request-sample.ts";
import { isSecretName } from "./secret-names.ts";

const NAMES = [
  "password",
  "userPassword",
  "access_token",
  "client-secret",
  "apiKey",
  "X-API-Key",
  "JSESSIONID",
  "user[passwd]",
  "session.id",
  "X-Service-Auth",
  "code_verifier",
  "device_code",
];

/** Ways in which documents write a name and a value. */
const SHAPES: Readonly<Record<string, (name: string, secret: string) => string>> = {
  query: (name, secret) => `https://shop.example/cart?a=1&${name}=${secret}&b=2`,
  "encoded query": (name, secret) =>
    `/login?next=%2Fa%3F${name}%3D${secret}%26x%3D1%26${name}%3D${secret}%26y%3D2`,
  "user of a URL": (_, secret) => `https://anna:${secret}@shop.example/`,
  header: (name, secret) => `Accept: */*\r\n${name}: ${secret}\r\nHost: a`,
  authorization: (_, secret) => `Host: a\nAuthorization: Custom ${secret} ${secret}\nAccept: b`,
  cookie: (_, secret) => `Cookie: theme=dark; id=${secret}\nSet-Cookie: id=${secret}; Path=/`,
  bearer: (_, secret) => `sent with bearer ${secret} to a`,
  JSON: (name, secret) => `{"a":1,"${name}" : "${secret}","b":{"${name}":["${secret}"]}}`,
  "JSON in JSON": (name, secret) => JSON.stringify({ body: `{"${name}":"${secret}","n":1}` }),
  form: (name, secret) => `user=anna&${encodeURIComponent(name)}=${secret}`,
  "multi-part": (name, secret) =>
    `--x\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${secret}\r\n--x--`,
  XML: (name, secret) =>
    `<u><${xml(name)} a="1">${secret}</${xml(name)}><n ${name}="${secret}"/></u>`,
  GraphQL: (name, secret) =>
    JSON.stringify({
      query: `mutation { login(user: "anna", ${word(name)}: "${secret}") { ok } }`,
    }),
  "unquoted names": (name, secret) =>
    `<script>var c={user:1,${word(name)}:'${secret}',n:2}</script>`,
  "arrays of PHP": (name, secret) => `['${name}' => '${secret}', 'n' => 1]`,
  "XML in JSON": (name, secret) => JSON.stringify({ body: `<n ${xml(name)}="${secret}"/>` }),
  "encoded quotes": (name, secret) =>
    `{&quot;a&quot;:1,&quot;${name}&quot;:&quot;${secret}&quot;}?f=%7B%22${name}%22%3A%22${secret}%22%7D`,
  "pairs of attributes": (name, secret) => `<input type="hidden" name="${name}" value="${secret}">`,
  "pairs of members": (name, secret) => `[{"name":"${name}","value":"${secret}"},{"name":"n"}]`,
  "raw form": (name, secret) => `user=anna&${name}=a'b;c<d>${secret}, "e" ${secret}&n=1`,
  "raw query": (name, secret) => `GET /cart?a=1&${name}=a'b;c<d>${secret}&b=2 HTTP/1.1`,
  "private key": (_, secret) =>
    `key file:\n-----BEGIN RSA PRIVATE KEY-----\n${secret}\n${secret}\n-----END RSA PRIVATE KEY-----\n`,
  "private key in JSON": (_, secret) =>
    JSON.stringify({ pem: `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----\n` }),
  "cookie in a trace": (_, secret) => `> GET / HTTP/1.1\n> Cookie: a=1; id=${secret}\n> Accept: b`,
  "cookie in JSON": (_, secret) =>
    JSON.stringify({ sent: `Host: a\r\nCookie: a="1"; id="${secret}"\r\nAccept: b` }),
  "authorization in a command": (_, secret) => `curl -H 'Authorization: Custom a ${secret}' /`,
  "file of cookies": (_, secret) => `.shop.example\tTRUE\t/\tFALSE\t0\tid\t${secret}\nend`,
  "folded header": (_, secret) => `Host: a\r\nAuthorization: Custom\r\n ${secret}\r\nAccept: b`,
  YAML: (name, secret) => `a:\n  ${word(name)}: |\n    ${secret}\n    ${secret}\n  b: 1\n`,
  "lists of pairs": (name, secret) =>
    JSON.stringify([
      ["n", "1"],
      [name, secret],
    ]),
  "tuples of Python": (name, secret) => `[('n', 'a=1'), (b'${name}', b'${secret}')]`,
  "bytes of Python": (name, secret) => `{b'n': 1, b'${name}': b'${secret}'}`,
  "maps of Java": (name, secret) => `{n=[1], ${word(name)}=[a ${secret}; b=${secret}], c=[2]}`,
  "attributes of OpenTelemetry": (name, secret) =>
    JSON.stringify([{ key: `http.request.header.${name}`, value: { stringValue: `a ${secret}` } }]),
  "part with a file name": (name, secret) =>
    `--x\r\nContent-Disposition: form-data; filename="a"; name="${name}"\r\n\r\n${secret}\r\n--x--`,
  "elements that an attribute names": (name, secret) => `<header name='${name}'>${secret}</header>`,
  "command of curl": (_, secret) => `curl -s -u anna:${secret} https://shop.example/`,
  "quoted command of curl": (_, secret) => `curl --user 'anna:${secret} ${secret}' /`,
  "command of curl in JSON": (_, secret) => JSON.stringify({ log: `curl -u "anna:${secret}" /` }),
  "command of curl as a list": (_, secret) => JSON.stringify(["curl", "-su", `anna:${secret}`]),
  "options of commands": (name, secret) => `login --${word(name)} ${secret} --n 1`,
  CSV: (name, secret) => `n,${name},user\n1,${secret},anna\n2,"${secret}",ben\n\nend`,
  "CSV with quoted cells": (name, secret) =>
    `"n";"${name}"\r\n"a;""b";"${secret}"\r\n"c\nd";${secret}\r\n`,
  "CSV with uneven rows": (name, secret) => `n,${name}\n1,2,${secret}\n3,${secret},4\n`,
  "CSV with a quote that stays open": (name, secret) => `n,${name}\n"1,${secret}\n2,${secret}\n`,
  "CSV in JSON": (name, secret) =>
    JSON.stringify({ csv: `n,${name}\n1,${secret}\n"a,b",${secret}\n`, n: 1 }),
  "tab-separated values": (name, secret) => `n\t${name}\n1\t${secret}\n`,
  "table of a shell": (name, secret) =>
    `| n | ${name} |\n|---|-----|\n| 1 | ${secret} |\n\n n | ${name}\n---+---\n 1 | ${secret}\n`,
  "answer of OAuth": (_, secret) => `https://shop.example/cb?code=4/${secret}&state=${secret}`,
  "request of OAuth": (_, secret) =>
    `grant_type=authorization_code&code=${secret}&redirect_uri=https%3A%2F%2Fa`,
  "OAuth in JSON": (_, secret) =>
    JSON.stringify({ redirect_uri: "https://a", code: secret, client_assertion: secret }),
  "key of a service": (_, secret) => `sent ghp_${secret}, AKIA${secret.toUpperCase()}`,
  "value before its name": (name, secret) =>
    JSON.stringify([{ value: `a"b<c>{d} ${secret}`, of: { n: 1 }, name }]),
  "value in braces before its name": (name, secret) =>
    JSON.stringify({ value: { stringValue: secret }, key: `http.request.header.${name}` }),
  "attributes without quotes": (name, secret) =>
    `<input type=hidden name=${name} value=${secret}><input value=${secret} name=${name}>`,
  "elements beside their names": (name, secret) =>
    `<m><name>${name}</name>\n<value><a>${secret}</a></value></m><key>${name}</key><string>${secret}</string>`,
  "element before its name": (name, secret) => `<value>${secret}</value><name>${name}</name>`,
  "strings of Python": (name, secret) =>
    `${word(name)} = '''a 'b' ${secret}'''\n${word(name)}="""${secret} "c" ${secret}"""\n{'${name}': f'a ${secret}'}`,
  "strings of Python in JSON": (name, secret) =>
    JSON.stringify({ code: `${word(name)} = """a "${secret}" b"""` }),
  "headers of Go": (name, secret) =>
    `http.Header{"Accept":[]string{"*/*"}, "${name}":[]string{"a ${secret}", "${secret}"}}`,
  "structures of Go": (name, secret) =>
    `main.U{N:1, ${word(name)}:sql.NullString{String:"a ${secret}", Valid:true}, ${word(name)}:&m.S{V:"${secret}"}}`,
  "structures of Rust": (name, secret) => `U { n: 1, ${word(name)}: Some("a ${secret}") }`,
  "objects of Python": (name, secret) => `U(n=1, ${word(name)}=SecretStr('a ${secret}'))`,
  "values of PHP": (name, secret) =>
    `array(1) {\n  ["${name}"]=>\n  string(40) "a ${secret}"\n}\na:1:{s:5:"${name}";s:40:"a ${secret}";}`,
  "sentence about a password": (_, secret) => `the password "${secret}" is wrong`,
  "SQL of users": (_, secret) => `CREATE USER anna IDENTIFIED BY '${secret}'`,
  "password fields": (_, secret) =>
    `<input type="password" value="${secret}"><input value='${secret}' id="a" type='password'>`,
  "password fields without quotes": (_, secret) =>
    `<input type=password value=${secret}><input value=${secret} type=password>`,
  setters: (name, secret) =>
    `user.setPassword("${secret}"); c.with_${word(name)}('a', '${secret}').${word(name)}("${secret}")`,
  "setters in JSON": (_, secret) => JSON.stringify({ log: `at setApiKey("a ${secret}")`, n: 1 }),
  "rows of SQL": (name, secret) =>
    `INSERT INTO users (id, ${word(name)}) VALUES (1, '${secret}'),\n (2, 'a''b) ${secret}')`,
  "rows of SQL in JSON": (name, secret) =>
    JSON.stringify({ sql: `insert into u("id","${word(name)}") values(1,'${secret}')`, n: 1 }),
  "commands of MySQL": (_, secret) =>
    `mysqldump -u anna -p${secret} shop | sshpass -p ${secret} ssh a`,
  "commands as lists": (_, secret) =>
    JSON.stringify([["mysql", `-p${secret}`], ["sshpass", "-p", secret], "x"]),
  "addresses of webhooks": (_, secret) =>
    `sent to hooks.slack.com/services/T024BE7LD/B024BE7LH/${secret} and https://discord.com/api/webhooks/1/${secret}`,
};

const word = (name: string): string => name.replaceAll(/\W/g, "_");
const xml = (name: string): string => name.replaceAll(/[^\w-]/g, "");

test.each(Object.keys(SHAPES))("no secret is left in: %s", (shape) => {
  const write = SHAPES[shape] as (typeof SHAPES)[string];
  assert(
    property(
      constantFrom(...NAMES),
      stringMatching(/^[A-Za-z0-9]{12,40}$/),
      nat({ max: 4200 }),
      (name, secret, filler) => {
        const written = write(name, secret);
        const clean = redactText(written);
        expect(clean).not.toContain(secret);
        expect(redactText(clean)).toBe(clean);
        // Cut anywhere by the source, and by us at 4 KB.
        for (let end = 1; end < written.length; end++) {
          const cut = redactText(written.slice(0, end));
          expect(cut).not.toContain(secret.slice(0, 8));
        }
        const responseBody = `${"x ".repeat(filler / 2)}\n${written}`;
        const sample = sampleOf({ timeMs: 1, elapsedMicros: 1, responseBody }, (text) =>
          redactText(text),
        );
        expect(JSON.stringify(sample)).not.toContain(secret.slice(0, 8));
      },
    ),
    { numRuns: 20 },
  );
});

/** Parts of forms, queries and documents that never come to their values. */
const ENDLESS = [
  "name=",
  "name= ",
  "name=a\n",
  "%26",
  "%3D",
  "%26key%3D",
  "a=",
  "<a ",
  '"token":{',
  '\\\\"',
  "a: ",
  "a=b; ",
  "cookie: ",
  'cookie:=\\\\"',
  "-----BEGIN PRIVATE KEY",
  "a\tTRUE\t/\tTRUE\t",
  "?a=1&",
  "\nkey=",
  "key=[",
  "key: a\n ",
  '[["key","',
  '["key",',
  'name="key",value={',
  'value="',
  "value=a name=",
  "name=key ",
  "value={",
  '"value":"a",',
  "key,a\n1,2\n",
  'key,a\n"',
  '"key,a\\n"',
  "key|",
  "curl -u ",
  "-u a:",
  "--key ",
  "code=",
  "&code=a&state=",
  "key=a(",
  "key:[]",
  "key=*",
  "key='''",
  "ghp_",
  "sk-",
  "password is ",
  "<key>",
  "<name>key</name>",
  "<value>a</value><name>",
  "type=password value=",
  "value=a type=",
  "into a(key)values(",
  "into a(key)",
  "setKey(",
  '.key("a',
  "mysql -",
  "sshpass ",
  "value={password}",
  "{password}value=",
];

test.each(ENDLESS)("takes little time for what repeats %j", (part) => {
  const text = part.repeat(16_384 / part.length);
  const before = performance.now();
  redactText(text);
  // Took up to 15 s.
  expect(performance.now() - before).toBeLessThan(2000);
});

test("takes little time for a few braces that are open behind a value", () => {
  const before = performance.now();
  redactText(`"value":"a"${"{aa".repeat(16)}}}`);
  // Took 2 s, and five times as long for every other two.
  expect(performance.now() - before).toBeLessThan(500);
});

test.each([
  '<input value="SECRET" name="_csrf">',
  '{"value":"SECRET","key":"Authorization"}',
  '{"pass\\u0077ord":"SECRET"}',
  "<pre>\nid=SECRET; Path=/; HttpOnly\n</pre>",
])("no secret is left in %s", (text) => {
  expect(redactText(text)).not.toContain("SECRET");
});

test("a header ends before the next one that is indented as it is", () => {
  expect(redactText("> Cookie: a=1\n> Accept: b\n")).toBe("> Cookie: [redacted]\n> Accept: b\n");
  expect(redactText("  token: a\n  b: 1\n")).toBe("  token: [redacted]\n  b: 1\n");
});

test.each([
  '{"code":"ERR_INVALID_ARGUMENT","status":"failed","state":"closed"}',
  "/orders?code=503&page=2",
  "SyntaxError: Unexpected token '<', \"<html>\" is not valid JSON",
  'duplicate key "orders_pkey"',
  "Invalid token, please sign in\nSession expired, try again\n",
  "Invalid API key\nPlease contact the support",
  "id,name,price\n1,Tea,3\n2,Coffee,4\n",
  '<option value="7">Seven</option><option value="8">Eight</option>',
  '{"assertionResults":[{"title":"a","status":"passed"}],"zipcode":"10115","errorCode":"E1"}',
  "Warning: -u expects a number: 12",
  "\tat a.SessionStore.get(SessionStore.java:12)\n\tat a.b(TokenFilter.kt:7)",
  "at Token.parse (/app/token.js:4:1)\nauth.go:12 +0x1d\n",
  '<input type="text" value="tea"><input type="hidden" name="page" value="2">',
  "INSERT INTO orders (id, item) VALUES (1, 'tea'), (2, 'coffee')",
  "mysql -h db -P 3306 --protocol tcp shop: Can't connect",
  'cart.setItem("tea").withSize("large"); keyboard.press("a")',
  "2026-11-21 10:19:22 INFO | a.b.Cart | 3 items, 2 of them new",
])("%s stays as it is", (text) => {
  expect(redactText(text)).toBe(text);
});

test("text without secrets stays as it is", () => {
  const text = '{"keyword":"monkey","passenger":{"name":"Anna"},"error":"cart is empty","n":3}';
  expect(redactText(text)).toBe(text);
  const form = '<input name="quantity" value="3"><option value="7" id="size">7</option>';
  expect(redactText(form)).toBe(form);
  const url = "https://shop.example:8443/cart/17?page=2&keyword=tea#top";
  expect(redactText(url)).toBe(url);
  expect(redactText("java.net.SocketTimeoutException: Read timed out")).toBe(
    "java.net.SocketTimeoutException: Read timed out",
  );
});

test("keeps JSON readable", () => {
  const text = '{"id":7,"token":{"value":"abc","until":3},"password":"a\\"b","pin":1234,"ok":true}';
  expect(JSON.parse(redactText(text))).toEqual({
    id: 7,
    token: "[redacted]",
    password: "[redacted]",
    pin: "[redacted]",
    ok: true,
  });
});

test("takes out what the user names", () => {
  expect(redactText("order 4711 of anna@example.org", [/\S+@\S+/giu])).toBe(
    "order 4711 of [redacted]",
  );
});

test.each([
  "monkey",
  "keyword",
  "keyboardType",
  "primaryKey",
  "foreign_keys",
  "sort-key",
  "max_tokens",
  "token_type",
  "compassion",
  "author",
  "tokyo",
  "assess",
])("%s is no secret", (name) => {
  expect(isSecretName(name)).toBe(false);
});

test.each([
  "to\\u006ben",
  "to\\U006Ben",
  "to%6ben",
  "TO-K.en",
  "to\u212aen",
  "sess\u0130on",
  "aPIN",
  "my_Sig",
])("a name may be written otherwise: %s", (name) => {
  expect(redactText(`name="${name}"\r\n\r\nabcdefgh`)).not.toContain("abcdefgh");
});
