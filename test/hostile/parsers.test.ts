import { matchConditionRisks, readCel } from '../../lib/admission';
import { readCertificates } from '../../lib/certificates/rekey/certificate-text';
import { matchesGlob } from '../../lib/checks/glob';
import { readProgramOutput } from '../../lib/checks/program-output';
import { variablesIn } from '../../lib/checks/query-template';
import { checkTemplate } from '../../lib/clusterset/text-template';
import { shown } from '../../lib/doctor/redaction';
import { parseDuration } from '../../lib/durations';
import * as argoRules from '../../lib/gitops/argo-rules';
import { cronSchedule } from '../../lib/gitops/cron-schedule';
import { holdsPrivateKey } from '../../lib/gitops/plain-keys';
import { checkTemplateTexts, literalParts } from '../../lib/gitops/template-text';
import { nearKey } from '../../lib/problems/near-key';
import * as shared from '../../lib/problems';
import type { Rule } from '../../lib/problems';
import { Problems } from '../../lib/problems';
import { mendDocument } from '../../lib/rules/mending/mend-document';
import { expectNoHang, hostileTexts } from './texts';

const rules = Object.entries<unknown>({ ...shared, ...argoRules, cronSchedule }).filter(
  (entry): entry is [string, Rule] =>
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

const texts = hostileTexts(300_000);

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
  ['text of somebody else', (text) => shown(text)],
  ['certificates', (text) => readCertificates(text)],
  ['private key', (text) => holdsPrivateKey(text)],
  ['template of an Application', (text) => literalParts(text)],
  [
    'parameters of a template',
    (text) => checkTemplateTexts(new Problems('a'), 'a', text, true, new Set(['name'])),
  ],
  ['output of a program', (text) => attempt(() => readProgramOutput(text))],
  ['variables of a query', (text) => variablesIn(text)],
  ['template of a cluster set', (text) => attempt(() => checkTemplate(text))],
])('%s: no hang over a second', (name, read) => {
  for (const text of texts) {
    expectNoHang(`${name}: ${JSON.stringify(text.slice(0, 20))}`, () => read(text));
  }
});

test('a text that a file with comments is mended around', () => {
  const line = ' x:#'.repeat(50_000);
  const text = `a:\n  - b\nc: 1${line}\n`;
  expectNoHang('mending', () => mendDocument(text, [{ op: 'replace', path: '/a/0', value: 'c' }]));
});
