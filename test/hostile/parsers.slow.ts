import { readGoTemplate } from '../../lib/core/application-sets/go-template';
import { readPlainTemplate } from '../../lib/core/application-sets/plain-template';
import { templateProblems } from '../../lib/core/application-sets/template-problems';
import { readCel } from '../../lib/core/admission/cel';
import { matchConditionRisks } from '../../lib/core/admission/match-conditions';
import { readCertificates } from '../../lib/core/certificates/x509';
import { parseDuration } from '../../lib/core/durations';
import { matchesGlob } from '../../lib/core/glob';
import { redacted } from '../../lib/core/redaction';
import { nearKey } from '../../lib/core/validation';
import type { Format } from '../../lib/core/validation';
import * as shared from '../../lib/core/validation';
import { fixDocument } from '../../lib/lint/fix/fix-document';
import * as argoRules from '../../lib/manifests/argocd/argo-object';
import { holdsPrivateKey } from '../../lib/manifests/argocd/secrets';
import { cronSchedule } from '../../lib/manifests/cron-schedule';
import { checkTemplate } from '../../lib/manifests/cluster-sync/text-template';
import { variablesIn } from '../../lib/shift/checks';
import { readProgramOutput } from '../../lib/shift/checks/program';
import { expectNoHang, hostileTexts } from './texts';

const rules = Object.entries<unknown>({ ...shared, ...argoRules, cronSchedule }).filter(
  (entry): entry is [string, Format] =>
    typeof entry[1] === 'object' && entry[1] !== null && 'accepts' in entry[1],
);

/** What a text is refused with is not asked here. */
function attempt(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    expect(error).not.toBeInstanceOf(RangeError);
  }
}

function problemsOf(text: string, goTemplate: boolean): unknown {
  const list = { kind: 'list', steps: ['list'], isFiltered: false, generators: [] };
  const elements = [{ name: 'a', [text]: text }, { name: text }];
  return templateProblems(
    {
      generators: [{ ...list, settings: { elements } }],
      template: { steps: ['template'], value: `{{ .name }} {{ name }} ${text}` },
      goTemplate,
      goTemplateOptions: ['missingkey=error'],
    },
    String,
  );
}

/** What takes squared time takes many seconds of each of these; `FUZZ` asks for what is slower by less. */
const texts = hostileTexts(process.env['FUZZ'] === undefined ? 100_000 : 300_000);

test.each<[string, (text: string) => unknown]>([
  ...rules.map(([name, rule]): [string, (text: string) => unknown] => [name, (text) => rule.accepts(text)]),
  ['duration', (text) => parseDuration(text)],
  ['glob', (text) => [matchesGlob(text, 'a'.repeat(253)), matchesGlob('*a*b', text)]],
  ['near key', (text) => nearKey(text, ['weights', 'router', 'slots'])],
  ['CEL', (text) => readCel([`object.${text.slice(0, 100_000)}`])],
  [
    'match condition',
    (text) =>
      matchConditionRisks([{ name: 'a', expression: text.slice(0, 100_000) }], new Set(['CREATE', 'DELETE'])),
  ],
  ['text of somebody else', (text) => redacted(text)],
  ['certificates', (text) => readCertificates(text)],
  ['private key', (text) => holdsPrivateKey(text)],
  ['Go template', (text) => readGoTemplate(text)],
  ['Go template, from its first action on', (text) => readGoTemplate(`{{ if .a }}{{ ${text}`)],
  ['plain template', (text) => readPlainTemplate(text)],
  [
    'template of an ApplicationSet',
    (text) => [true, false].map((goTemplate) => problemsOf(text, goTemplate)),
  ],
  ['output of a program', (text) => attempt(() => readProgramOutput(text))],
  ['variables of a query', (text) => variablesIn(text)],
  ['template of a cluster set', (text) => attempt(() => checkTemplate(text))],
])('%s: no hang over a second', (name, read) => {
  for (const text of texts) {
    expectNoHang(`${name}: ${JSON.stringify(text.slice(0, 20))}`, () => read(text));
  }
});

test('a text that a file with comments is fixed around', () => {
  const line = ' x:#'.repeat(50_000);
  const text = `a:\n  - b\nc: 1${line}\n`;
  expectNoHang('a fix', () => fixDocument(text, [{ op: 'replace', path: '/a/0', value: 'c' }]));
});
