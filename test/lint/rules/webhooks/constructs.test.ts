import { Testing } from 'cdk8s';
import * as fc from 'fast-check';
import type { Finding } from '../../../../lib/lint';
import { allRules, manifestObjects, lint, readManifests } from '../../../../lib/lint';
import type { MutatingWebhookProps } from '../../../../lib/manifests/webhooks';
import { required, security } from '../../../manifests/webhooks/samples';
import { build, props } from '../../../manifests/webhooks/webhook-space';
import { server } from './manifests';

const rules = allRules.filter(({ id }) => id.startsWith('WH'));

function evaluate(objects: readonly unknown[]): readonly Finding[] {
  const { findings, failures } = lint(manifestObjects(objects), { rules });
  expect(failures).toEqual([]);
  return findings;
}

/** What the constructs emit; nothing where the props are refused. */
function emitted(given: MutatingWebhookProps): any[] | undefined {
  const chart = Testing.chart();
  return build(given, chart) && chart.toJson();
}

test('what the constructs emit has no error and no warning', () => {
  let evaluated = 0;
  const check = (given: MutatingWebhookProps): void => {
    const objects = emitted(given);
    if (objects) {
      evaluated += 1;
      expect(evaluate(objects).filter(({ severity }) => severity !== 'info')).toEqual([]);
    }
  };
  fc.assert(fc.property(props, check), { numRuns: 800, seed: 7 });
  expect(evaluated).toBeGreaterThan(80);
});

/** The Service, Deployment and budget of a server that is not part of the constructs. */
const manifests = (yaml: string): readonly any[] =>
  readManifests(yaml, { file: 'server.yaml', read: () => yaml }).objects.map(({ value }) => value);
const behind = manifests(server('gate')).filter(({ kind }) => kind !== 'PodDisruptionBudget');
const budget = manifests(server('gate')).filter(({ kind }) => kind === 'PodDisruptionBudget');
const certManager = manifests(`
apiVersion: apps/v1
kind: Deployment
metadata: { name: cert-manager, namespace: cert-manager }
spec:
  template:
    metadata: { labels: { app.kubernetes.io/name: cert-manager } }
    spec: { containers: [] }
`);

const caInjection = { ...required.caInjection!, providerNamespaces: ['cert-manager'] };
const samples: Record<string, MutatingWebhookProps> = {
  security: { ...security, caInjection, reinvocationPolicy: 'Never' },
  required: { ...required, caInjection },
  convenience: { ...required, caInjection, intent: 'convenience' },
};

/** Objects of a sample together with its server and cert-manager. */
function all(intent: string): any[] {
  const own = emitted(samples[intent]!)!;
  return [...own, ...behind, ...(intent === 'security' ? [] : budget), ...certManager];
}

const entryOf = (objects: any[]): any => objects[0].webhooks[0];
const withoutNamespace = (name: string) => (objects: any[]) => {
  const [{ values }] = entryOf(objects).namespaceSelector.matchExpressions.slice(-1);
  values.splice(values.indexOf(name), 1);
};
const withoutField = (field: string) => (objects: any[]) => {
  expect(entryOf(objects)).toHaveProperty([field]);
  delete entryOf(objects)[field];
};

test.each(Object.keys(samples))('with its server, %s has no error and no warning', (intent) => {
  expect(evaluate(all(intent)).filter(({ severity }) => severity !== 'info')).toEqual([]);
});

test.each<[string, string, (objects: any[]) => void, string[]]>([
  ['failurePolicy', 'security', withoutField('failurePolicy'), ['warning WH07']],
  ['failurePolicy', 'required', withoutField('failurePolicy'), ['warning WH07']],
  ['failurePolicy', 'convenience', withoutField('failurePolicy'), ['error WH07', 'warning WH07']],
  [
    'namespaceSelector',
    'security',
    withoutField('namespaceSelector'),
    ['error WH03', 'error WH04', 'error WH05', 'warning WH06'],
  ],
  ['namespaceSelector', 'required', withoutField('namespaceSelector'), ['info WH03']],
  ['namespaceSelector', 'convenience', withoutField('namespaceSelector'), ['info WH03']],
  ['kube-system', 'security', withoutNamespace('kube-system'), ['error WH03']],
  ['its own namespace', 'security', withoutNamespace('gate-system'), ['error WH04']],
  ['the namespace of cert-manager', 'security', withoutNamespace('cert-manager'), ['error WH05']],
  ['objectSelector', 'required', withoutField('objectSelector'), ['error WH06', 'error WH07']],
  ['objectSelector', 'convenience', withoutField('objectSelector'), ['warning WH07']],
  ['timeoutSeconds', 'security', withoutField('timeoutSeconds'), ['warning WH09']],
  ['sideEffects', 'required', withoutField('sideEffects'), ['warning WH11']],
  ['admissionReviewVersions', 'convenience', withoutField('admissionReviewVersions'), ['warning WH11']],
  ['matchPolicy', 'security', withoutField('matchPolicy'), ['info WH11']],
  [
    'the intent',
    'security',
    (objects) => delete objects[0].metadata.annotations['cluster-canary/intent'],
    ['error WH06', 'info WH13'],
  ],
  [
    'the PodDisruptionBudget',
    'security',
    (objects) =>
      objects.splice(
        objects.findIndex(({ kind }) => kind === 'PodDisruptionBudget'),
        1,
      ),
    ['warning WH06', 'warning WH12'],
  ],
  [
    'the second replica',
    'security',
    (objects) => (objects.find(({ kind }) => kind === 'Deployment').spec.replicas = 1),
    ['warning WH06', 'warning WH12'],
  ],
  ['the address', 'required', withoutField('clientConfig'), ['error WH12']],
])('without %s, a rule fires (%s)', (_, intent, takeAway, expected) => {
  const before = evaluate(all(intent)).map(({ severity, rule }) => `${severity} ${rule}`);
  const objects = structuredClone(all(intent));
  takeAway(objects);
  const after = evaluate(objects).map(({ severity, rule }) => `${severity} ${rule}`);
  expect(after.filter((each) => !before.includes(each)).sort()).toEqual(expected);
});

/** What fires for certain, whatever the other options are. */
const always: Readonly<Record<string, string>> = {
  failurePolicy: 'WH07',
  timeoutSeconds: 'WH09',
  sideEffects: 'WH11',
  admissionReviewVersions: 'WH11',
  matchPolicy: 'WH11',
};

test('over the whole space of options', () => {
  const check = (given: MutatingWebhookProps, field: string): void => {
    const objects = emitted(given);
    if (objects) {
      withoutField(field)(objects);
      expect(evaluate(objects).map(({ rule }) => rule)).toContain(always[field]);
    }
  };
  fc.assert(fc.property(props, fc.constantFrom(...Object.keys(always)), check), { numRuns: 300, seed: 8 });
});
