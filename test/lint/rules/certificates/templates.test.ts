import { lint } from '../../../../lib/lint';
import { tls08 } from '../../../../lib/lint/rules/certificates/tls08-unstable-render';
import { templateFile } from '../../examples';

/** What TLS08 says of a template, short. */
function evaluate(text: string): string[] {
  const { findings } = lint([], {
    rules: [tls08],
    templates: [templateFile(text, 'chart/templates/a.yaml')],
  });
  return findings.map(({ severity, line, message }) => `${severity} ${line} ${message.replace(/^\S+ /, '')}`);
}

const another = 'every call makes another value';

test.each<[string, string, string[]]>([
  ['a CA', '{{ $ca := genCA "ca" 365 }}', [`error 1 calls genCA: ${another}`]],
  [
    'with trimming',
    'a\n{{- genSelfSignedCert "x" nil nil 365 -}}',
    [`error 2 calls genSelfSignedCert: ${another}`],
  ],
  ['with a key', '{{ genSignedCertWithKey 1 2 3 }}', [`error 1 calls genSignedCertWithKey: ${another}`]],
  [
    'a password, twice',
    '\n{{ randAlphaNum 10 }}\n{{ randAlphaNum 20 | b64enc }}',
    [`error 2 calls randAlphaNum, and 1 more times: ${another}`],
  ],
  ['in parentheses', '{{ (printf "%s" (randBytes 4)) }}', [`error 1 calls randBytes: ${another}`]],
  ['in a pipeline', '{{ "}}" | cat (randInt 0 9) }}', [`error 1 calls randInt: ${another}`]],
  ['over lines', '{{\n  genPrivateKey\n  "ecdsa"\n}}', [`error 2 calls genPrivateKey: ${another}`]],
  [
    'a look into the cluster',
    '{{ lookup "v1" "Secret" "a" "b" }}',
    ['warning 1 calls lookup: it finds nothing under helm template'],
  ],
  [
    'a look, and else a new one',
    '{{ $s := lookup "v1" "Secret" "a" "b" }}\n{{ if not $s }}{{ randAscii 8 }}{{ end }}',
    ['error 1 calls lookup: it finds nothing under helm template', `error 2 calls randAscii: ${another}`],
  ],
  ['a UUID', 'id: {{ uuidv4 | quote }}', [`warning 1 calls uuidv4: ${another}`]],
  [
    'a time, in a format',
    'at: {{ now | date "2006-01-02" }}\nage: {{ ago .Values.since }}',
    [
      'warning 1 calls now: every render has another time',
      'warning 2 calls ago: every render has another time',
    ],
  ],
  [
    'a salt',
    '{{ htpasswd .user .password }}{{ bcrypt "a" }}{{ encryptAES "k" "t" }}',
    [
      `warning 1 calls bcrypt: ${another}`,
      `warning 1 calls encryptAES: ${another}`,
      `warning 1 calls htpasswd: ${another}`,
    ],
  ],
  ['letters in any order', '{{ shuffle "abc" }}', [`warning 1 calls shuffle: ${another}`]],
  ['a digest without a salt', '{{ htpasswd .user .password "sha" }}{{ sha256sum "a" }}', []],
  ['a password that follows from what is given', '{{ derivePassword 1 "long" "p" "u" "s" }}', []],
  ['a time that is given', '{{ date "2006" .Values.since }}{{ .Values.now | toDate "2006" "2026" }}', []],
  ['in a comment', '{{/* genCA "}}" and lookup */}} genCA', []],
  ['in a text', '{{ include "chart.genCA" . }}{{ `lookup` }}', []],
  ['a field, a variable', '{{ .Values.lookup }}{{ $genCA }}{{ .genCA.randInt }}', []],
  ['outside of actions', 'genCA: lookup "randInt"', []],
  ['a longer name', '{{ genCAs }}{{ myrandInt }}{{ randomize }}', []],
  ['an action without an end', '{{ genCA "a', [`error 1 calls genCA: ${another}`]],
  [
    'an escaped quote',
    '{{ "\\" genCA" | lookup }}',
    ['warning 1 calls lookup: it finds nothing under helm template'],
  ],
])('%s', (_, text, expected) => {
  expect(evaluate(text)).toEqual(expected);
});

test.each([['{{ '], ['{{ "'], ['{{ `'], ['{{ /*'], ['"\\'], ['{{"\\'], ['lookup {{'], ['}}{{ a']])(
  'half a megabyte of %s takes no time to speak of',
  (part) => {
    const text = part.repeat(Math.ceil(500_000 / part.length));
    const start = performance.now();
    evaluate(text);
    expect(performance.now() - start).toBeLessThan(2000);
  },
);
