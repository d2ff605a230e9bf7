import fc from 'fast-check';
import { readGoTemplate } from '../../../lib/core/application-sets/go-template';
import { readPlainTemplate } from '../../../lib/core/application-sets/plain-template';
import { withoutArguments } from '../../../lib/core/application-sets/template-functions';
import { templateFunctions } from '../../../lib/core/application-sets/template-functions';
import { scaled } from '../../runs';

/** What Go's own text/template says of these, with the functions that Argo CD gives it. */
describe('templates that Go refuses', () => {
  test.each([
    ['{{ if .a }}x', 'unexpected EOF: "{{ if .a }}" has no "{{ end }}"'],
    ['{{ range .a }}{{ if .b }}{{ end }}', 'unexpected EOF: "{{ range .a }}" has no "{{ end }}"'],
    ['{{ if .a }}{{ else }}', 'unexpected EOF: "{{ if .a }}" has no "{{ end }}"'],
    ['{{ end }}', 'unexpected {{end}}'],
    ['{{ else }}', 'unexpected {{else}}'],
    ['{{ if .a }}{{ else }}{{ else }}{{ end }}', 'expected end; found {{else}}'],
    ['{{ if .a }}{{ else with .b }}{{ end }}', 'unexpected <with>'],
    ['{{ if }}{{ end }}', 'missing value for if'],
    ['{{ }}', 'missing value for command'],
    ['{{ () }}', 'missing value for parenthesized pipeline'],
    ['{{ foo .name }}', 'function "foo" not defined'],
    ['{{ uper .name }}', 'function "uper" not defined, which may be meant for "upper"'],
    ['{{ env "HOME" }}', 'function "env" not defined, which Argo CD takes away from templates'],
    ['{{ expandenv "$HOME" }}', 'which Argo CD takes away'],
    ['{{ getHostByName "a" }}', 'which Argo CD takes away'],
    ['{{ title }}', 'function "title" has no arguments; a parameter has a dot before it, ".title"'],
    ['{{ values.a }}', 'function "values" has no arguments'],
    ['{{.metadata.labels.my-label}}', 'bad character "-" after ".my": "index" reads a name with "-"'],
    ['{{ .a$ }}', 'bad character "$" after ".a"'],
    ['{{ $x }}', 'undefined variable "$x"'],
    ['{{ if .a }}{{ $x := 1 }}{{ end }}{{ $x }}', 'undefined variable "$x"'],
    ['{{ define "t" }}{{ $x }}{{ end }}', 'undefined variable "$x"'],
    ['{{ $x, $y := .a }}', 'too many declarations in command'],
    ['{{ range $x, .a }}{{ end }}', 'range can only initialize variables'],
    ['{{ .name', 'unclosed action'],
    ['{{ .name }', 'unexpected "}" in operand'],
    ['{{', 'unclosed action'],
    ['{{ (.name }}', 'unclosed left paren'],
    ['{{ .name) }}', 'unexpected right paren'],
    ['{{ "name }}', 'unterminated quoted string'],
    ['{{ "na\nme" }}', 'unterminated quoted string'],
    ['{{ `name }}', 'unterminated raw quoted string'],
    ["{{ 'n }}", 'unterminated character constant'],
    ["{{ 'name' }}", "malformed character constant: 'name'"],
    ['{{ "\\q" }}', 'invalid syntax of the text "\\q"'],
    ['{{/* a }}', 'unclosed comment'],
    ['{{/* a */ b}}', 'comment ends before closing delimiter'],
    ['{{ | upper }}', 'unexpected "|" in command'],
    ['{{ .name | | upper }}', 'unexpected "|" in command'],
    ['{{ .name | "a" }}', 'non executable command in pipeline stage 2'],
    ['{{ .name , .server }}', 'unexpected "," in operand'],
    ['{{ .name upper }}', '".name" is no function, but has arguments'],
    ['{{ upper | .name }}', 'function "upper" has no arguments'],
    ['{{ lower "A" | .name }}', '".name" is no function, but has arguments'],
    ['{{ "a" "b" }}', '""a"" is no function, but has arguments'],
    ['{{ "a".b }}', 'unexpected . after term'],
    ['{{ ..a }}', 'unexpected . after term "."'],
    ['{{ 1a }}', 'bad number syntax: "1a"'],
    ['{{ 09 }}', 'illegal number syntax: "09"'],
    ['{{ 99999999999999999999 }}', 'integer overflow'],
    ['{{ a := 1 }}', 'function "a" not defined'],
    ['{{ : }}', 'expected :='],
    ['{{ .a\u00a7 }}', 'bad character "§"'],
    ['{{ \u00a7 }}', 'unrecognized character in action: "§"'],
    ['{{ break }}', '{{break}} outside {{range}}'],
    ['{{ if .a }}{{ define "t" }}{{ end }}{{ end }}', 'unexpected "define" in command'],
    ['{{ template "t" }}', 'template "t" is not defined'],
    ['{{ template .t }}', 'unexpected ".t" in template clause'],
  ])('%j', (text, fault) => {
    expect(readGoTemplate(text)).toEqual({
      fault: expect.stringContaining(fault),
      fields: [],
      literal: expect.any(String),
    });
  });
});

test.each([
  '',
  'a } b }} c { d',
  '{{- .name -}}',
  '{{ -1 }} {{-1 }} {{ +1.5e3 }} {{ 0x1F }} {{ 1_000 }} {{ 0b1 }} {{ 2i }} {{ 1+2i }} {{ .5 }}',
  '{{ .a | }}',
  '{{ .Größe }}',
  '{{/* {{ if */}}{{- /* a */ -}}',
  '{{ "}}" }}{{ `}}` }}{{ "\\"" }}{{ \'"\' }}{{ \'\\\'\' }}{{ "\\u00e9\\x41\\101" }}',
  '{{ `{{name}}` }}{{ "{{ foo" }}',
  '{{ if and .a (not .b) }}{{ else if .c }}{{ else }}{{ end }}',
  '{{ with .a }}{{ else with .b }}{{ else }}{{ end }}',
  '{{ range $i, $x := .a }}{{ if $i }}{{ break }}{{ end }}{{ continue }}{{ else }}{{ end }}',
  '{{ range $x := .a }}{{ $x.b }}{{ end }}',
  '{{ $x := 1 }}{{ if .a }}{{ $x = 2 }}{{ end }}{{ $x }}',
  '{{ if $x := .a }}{{ $x }}{{ else }}{{ $x }}{{ end }}',
  '{{ define "t" }}{{ . }}{{ end }}{{ template "t" .a }}',
  '{{ block "t" .a }}{{ . }}{{ end }}',
  '{{ if .a }}{{ template "t" }}{{ end }}',
  '{{ (index .metadata.labels "a").b }}',
  '{{ now.Format "2006" }}{{ now }}{{ uuidv4 }}',
  '{{ .name | normalize }}{{ slugify 20 .name }}{{ toYaml .a | nindent 2 }}{{ fromYaml "a: b" }}{{ fromYamlArray "[]" }}',
  '{{ tpl "{{ .name }}" . }}',
  '{{ printf "%s" (.name | trunc 5 | upper) }}',
  '{{ $ }}{{ . }}{{ $.name }}{{ true }}',
])('Go reads %j', (text) => {
  expect(readGoTemplate(text).fault).toBeUndefined();
});

test('functions are those of Go, Sprig and Argo CD', () => {
  expect(templateFunctions.size).toBe(232);
  expect([...withoutArguments].filter((name) => !templateFunctions.has(name))).toEqual([]);
});

test.each<[string, string[]]>([
  ['{{ .a.b }} {{ $.c }}', ['a.b sure written', 'c sure written']],
  ['{{ if .a }}{{ .b }}{{ end }}', ['a sure', 'b']],
  ['{{ or .a .b }}', ['a sure', 'b']],
  ['{{ and .a (lower .b) }}', ['a sure', 'b']],
  ['{{ .a | default .b }}', ['a sure', 'b sure']],
  ['{{ $x := .a }}{{ $x.b }}', ['a sure']],
  ['{{ with .a }}{{ .b }}{{ $.c }}{{ else }}{{ .d }}{{ end }}', ['a sure', 'c', 'd']],
  ['{{ range .a }}{{ .b }}{{ else }}{{ .c }}{{ end }}', ['a sure', 'c']],
  ['{{ define "t" }}{{ .a }}{{ $.b }}{{ end }}{{ .c }}', ['c sure written']],
  ['{{ block "t" .a }}{{ .b }}{{ end }}', ['a sure']],
  ['{{ (.a).b }}{{ .c.d.e | upper }}', ['a sure', 'c.d.e sure written']],
  ['{{ if hasKey . "a" }}{{ .a }}{{ end }}', []],
])('%s reads fields', (text, expected) => {
  expect(
    readGoTemplate(text).fields.map(
      ({ names, isSure, isWritten }) =>
        names.join('.') + (isSure ? ' sure' : '') + (isWritten ? ' written' : ''),
    ),
  ).toEqual(expected);
});

test.each([
  ['a-{{ "}}" }}-b', 'a--b'],
  ['a {{- .x -}} b', 'a b'.replace(' ', '')],
  ['a{{/* }} */}}b', 'ab'],
])('%j has the literal text %j', (text, literal) => {
  expect(readGoTemplate(text).literal.replaceAll(' ', '')).toBe(literal);
});

test.each<[string, string[] | 'fault', string]>([
  ['{{name}}-{{ path.basename }}', ['name', 'path.basename'], '-'],
  ['{{ .name', [], '{{ .name'],
  ['{{name', [], '{{name'],
  ['{{name}}\n{{', 'fault', ''],
  ['{{name}} {{ a', 'fault', ''],
  ['{{\n}}', [], '{{\n}}'],
  ['{{{{name}}}}', ['{{name'], '}}'],
  ['}} a {{', [], '}} a {{'],
])('plain substitution reads %j', (text, tags, literal) => {
  const read = readPlainTemplate(text);
  expect(read.fault === undefined ? read.tags : 'fault').toEqual(tags);
  expect(read.fault === undefined ? read.literal : '').toBe(literal);
});

const bits = fc.constantFrom(
  ...[
    '{{',
    '}}',
    '{{- ',
    ' -}}',
    ' ',
    '\n',
    '.a',
    '.b',
    '$',
    '$x',
    ':=',
    '=',
    ',',
    '|',
    'upper',
    'foo',
    '"',
    '`',
    "'",
  ],
  ...[
    '\\',
    '(',
    ')',
    '1',
    '0x',
    '-',
    'nil',
    '.',
    'if ',
    'else ',
    'end',
    'range ',
    'with ',
    'define ',
    'block ',
    '/*',
    '*/',
  ],
  ...['template ', 'break', '"t"', 'é', '😀', '\ud800'],
);

test('whatever the text is, reading throws nothing, and says the same twice', () => {
  fc.assert(
    fc.property(fc.array(bits, { maxLength: 40 }), fc.string({ unit: 'binary' }), (parts, more) => {
      for (const text of [parts.join(''), parts.join(more), `{{ ${parts.join(' ')} }}`]) {
        expect(readGoTemplate(text)).toEqual(readGoTemplate(text));
        expect(() => readPlainTemplate(text)).not.toThrow();
      }
    }),
    { numRuns: scaled(300) },
  );
});

test.each([
  '{{',
  '{{ "',
  '{{ if .a }}',
  '{{ (',
  '((',
  '{{ $x := 1 }}',
  '{{ .a',
  '.a',
  ' ',
  '{{- ',
  '{{/*',
  '{{if .a}}{{else ',
])('a long text of %j is read in no time, deep as it may be', (unit) => {
  const began = performance.now();
  for (const start of ['', '{{ ', '{{ "', '{{ .a ']) {
    readGoTemplate(start + unit.repeat(200_000 / unit.length));
    readPlainTemplate(start + unit.repeat(200_000 / unit.length));
  }
  expect(performance.now() - began).toBeLessThan(4_000);
});
