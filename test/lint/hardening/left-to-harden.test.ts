import type { HardeningDecision, UnfixedFinding } from '../../../lib/lint';
import {
  admissionWebhooks,
  allRules,
  harden,
  indexObjects,
  leftToHarden,
  fixFiles,
  readManifests,
} from '../../../lib/lint';
import { exampleTexts } from '../examples';
import { now } from '../lint-text';
import {
  authority,
  certificate,
  documents,
  issuer,
  named,
  selfSigned,
  webhook,
} from '../rules/certificates/manifests';

const objectsOf = (text: string) => readManifests(text, { file: 'a.yaml', read: () => text }).objects;

/** What `lint --fix` leaves alone, as `RULE REASON`. */
function leftBy(text: string): string[] {
  const fixing = fixFiles(objectsOf(text), () => text, { now });
  return leftToHarden(fixing, { now }).map(({ finding, reason }) => `${finding.rule} ${reason}`);
}

const short = documents(
  webhook({ annotations: { 'cert-manager.io/inject-ca-from': 'gate-system/root' } }),
  selfSigned,
  authority('root', 'duration: 87600h', 'renewBefore: 8760h'),
  issuer('root', '{ ca: { secretName: root-tls } }'),
  certificate('gate', 'root', named, 'duration: 2160h', 'renewBefore: 1h'),
);

test('what harden changes is said to be so', () => {
  expect(leftBy(short)).toContain('TLS05 harden changes it');
  const { changed } = harden(short, { now });
  expect(changed.map(({ rule }) => rule)).toContain('HARDEN02');
});

test('what nobody can change is not', () => {
  expect(leftBy('apiVersion: v1\nkind: Pod\nmetadata: { name: a }\nspec: 1\nspec: 2\n')).toEqual([
    'YAML01 no change of the manifest alone is known to be safe',
  ]);
});

describe.each<[string, readonly [keyof HardeningDecision, unknown][]]>([
  ['WH03', [['leaveOut', ['kube-system', 'kube-node-lease']]]],
  ['WH04', [['leaveOut', ['gate-system', 'kube-system']]]],
  [
    'WH06',
    [
      ['optIn', { a: 'b' }],
      ['failurePolicy', 'Ignore'],
    ],
  ],
  ['WH09', [['timeoutSeconds', 3]]],
  [
    'WH14',
    [
      ['optIn', { a: 'b' }],
      ['failurePolicy', 'Ignore'],
    ],
  ],
])('%s takes a decision', (rule, values) => {
  const text = exampleTexts(rule, 'fires')['manifests']!;
  const rules = allRules.filter(({ id }) => id === rule);
  const webhooks = indexObjects(objectsOf(text)).view(admissionWebhooks);
  const leftWith = (decision?: object): readonly UnfixedFinding[] =>
    harden(text, {
      ...{ rules, now },
      decisions: decision ? webhooks.map(({ name }) => ({ webhook: name, ...decision })) : [],
    }).left.filter(({ finding }) => finding.rule === rule && finding.severity !== 'info');

  test('of which the fields are named', () => {
    const [left] = leftWith();
    expect(left).toMatchObject({ decision: values.map(([key]) => key) });
    expect(left!.reason).toBe(`takes a decision: ${values.map(([key]) => key).join(' or ')}`);
    expect(leftBy(text)).toContain(`${rule} harden ${left!.reason}`);
  });

  test.each(values)('and each of them is enough: %s', (key, value) => {
    expect(leftWith({ [key]: value })).toEqual([]);
  });
});

test('TLS01 takes a decision about the server', () => {
  const text = exampleTexts('TLS01', 'fires')['manifests']!;
  const { left } = harden(text, { now });
  expect(left.filter(({ finding }) => finding.rule === 'TLS01')).toEqual([
    expect.objectContaining({ reason: 'takes a decision: issuer and injectCaFrom' }),
  ]);
});
