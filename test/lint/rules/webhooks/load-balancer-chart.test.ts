import type { Finding } from '../../../../lib/lint';
import { brief, lintText } from '../../lint-text';
import type { Entry } from './manifests';
import { expression, rule, webhooks } from './manifests';

/**
 * Webhooks as the chart of the AWS Load Balancer Controller 3.5.0 has them by default, in YAML of our own.
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/tree/v3.5.0/helm/aws-load-balancer-controller
 */
const common: Entry = {
  clientConfig: '{ service: { name: aws-load-balancer-webhook-service, namespace: kube-system } }',
  matchPolicy: undefined,
  timeoutSeconds: undefined,
  admissionReviewVersions: '[v1beta1]',
};
const notItself = '{ key: app.kubernetes.io/name, operator: NotIn, values: [aws-load-balancer-controller] }';
const others = `{ matchExpressions: [${notItself}] }`;
const changes = 'CREATE, UPDATE';
const own = (resources: string, group = 'elbv2.k8s.aws') => rule(resources, { group, operations: changes });
const injected = (key: string): string => expression(`elbv2.k8s.aws/${key}`, 'In', 'enabled');

const mutating = (replaced: Readonly<Record<string, Entry>> = {}): Record<string, Entry> => ({
  'mpod.elbv2.k8s.aws': {
    failurePolicy: 'Ignore',
    rules: rule('pods'),
    namespaceSelector: injected('pod-readiness-gate-inject'),
    objectSelector: others,
    ...replaced.mpod,
  },
  'quicid.elbv2.k8s.aws': {
    rules: rule('pods'),
    namespaceSelector: injected('quic-server-id-inject'),
    objectSelector: others,
    ...replaced.quicid,
  },
  'mservice.elbv2.k8s.aws': { rules: rule('services'), objectSelector: others, ...replaced.mservice },
  'alb-target-control.namespace.elbv2.k8s.aws': {
    rules: rule('pods'),
    namespaceSelector: injected('alb-target-control-agent-injection'),
    objectSelector: others,
  },
  'alb-target-control.object.elbv2.k8s.aws': {
    rules: rule('pods'),
    namespaceSelector: expression('elbv2.k8s.aws/alb-target-control-agent-injection', 'DoesNotExist'),
    objectSelector: `{ matchExpressions: [${notItself}, { key: elbv2.k8s.aws/alb-target-control-agent-inject, operator: In, values: ["true"] }] }`,
  },
  'mtargetgroupbinding.elbv2.k8s.aws': { rules: own('targetgroupbindings') },
});
const validating: Record<string, Entry> = {
  'vtargetgroupbinding.elbv2.k8s.aws': { rules: own('targetgroupbindings') },
  'vingressclassparams.elbv2.k8s.aws': { rules: own('ingressclassparams'), objectSelector: others },
  'vglobalaccelerator.aga.k8s.aws': { rules: own('globalaccelerators', 'aga.k8s.aws') },
  'vingress.elbv2.k8s.aws': { rules: rule('ingresses', { group: 'networking.k8s.io', operations: changes }) },
};
const server = `---
apiVersion: v1
kind: Service
metadata: { name: aws-load-balancer-webhook-service, namespace: kube-system }
spec:
  selector: { app.kubernetes.io/name: aws-load-balancer-controller }
  ports: [{ name: webhook-server, port: 443, targetPort: webhook-server }]
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: aws-load-balancer-controller, namespace: kube-system }
spec:
  replicas: 2
  template:
    metadata: { labels: { app.kubernetes.io/name: aws-load-balancer-controller } }
    spec:
      containers:
        - name: aws-load-balancer-controller
          ports: [{ name: webhook-server, containerPort: 9443 }]
          readinessProbe: { httpGet: { path: /readyz, port: 61779 } }
`;

function chart(replaced: Readonly<Record<string, Entry>> = {}): string {
  const named = (all: Record<string, Entry>): Entry[] =>
    Object.entries(all).map(([name, entry]) => ({ name, ...common, ...entry }));
  const about = { name: 'aws-load-balancer-webhook' };
  return (
    webhooks(named(mutating(replaced)), { ...about, kind: 'MutatingWebhookConfiguration' }) +
    webhooks(named(validating), about) +
    server
  );
}

/** What a rule finds, with the webhook's name in place of the pointer. */
function evaluated(yaml: string, ...ids: readonly string[]): string[] {
  return lintText(yaml, { rules: ids }).map(
    ({ severity, rule: id, message }) => `${severity} ${id} ${/[\w.-]+\.k8s\.aws/.exec(message)![0]}`,
  );
}

const scope = ['WH01', 'WH02', 'WH03', 'WH04', 'WH05', 'WH06', 'WH07', 'WH08', 'WH10'];

test('by default, only the service webhook reaches the system; own resources and ingresses are left alone', () => {
  expect(evaluated(chart(), ...scope)).toEqual([
    'error WH03 mservice.elbv2.k8s.aws',
    'info WH03 alb-target-control.object.elbv2.k8s.aws',
  ]);
});

test('webhookNamespaceSelectors replace the opt-in of a webhook that fails', () => {
  const widened = expression('kubernetes.io/metadata.name', 'NotIn', 'kube-system');
  const yaml = chart({ mpod: { namespaceSelector: widened }, quicid: { namespaceSelector: widened } });
  expect(evaluated(yaml, ...scope).filter((each) => !each.includes('WH03'))).toEqual([
    'error WH06 quicid.elbv2.k8s.aws',
  ]);
});

test('a selector of everything stops the system, but not the controller itself, which is left out by label', () => {
  const yaml = chart({ quicid: { namespaceSelector: '{}' } });
  expect(evaluated(yaml, 'WH03', 'WH04', 'WH06')).toEqual([
    'error WH03 quicid.elbv2.k8s.aws',
    'error WH06 quicid.elbv2.k8s.aws',
    'error WH03 mservice.elbv2.k8s.aws',
    'info WH03 alb-target-control.object.elbv2.k8s.aws',
  ]);
});

test('with pods that have no such label, it stops itself', () => {
  const yaml = chart({ quicid: { namespaceSelector: '{}', objectSelector: '{}' } });
  expect(evaluated(yaml, 'WH04')).toEqual(['error WH04 quicid.elbv2.k8s.aws']);
});

/** The same of several entries is told once. */
function entriesOf(findings: readonly Finding[]): number {
  return findings.reduce((sum, { also = [] }) => sum + 1 + also.length, 0);
}

test('timeouts are long, and add up over a pod that asks for everything', () => {
  const findings = lintText(chart(), { rules: ['WH09'] });
  const messages = findings.map(({ message }) => message);
  expect(entriesOf(findings.filter(({ message }) => message.includes('has no timeoutSeconds')))).toBe(10);
  expect(messages.filter((each) => each.includes('may wait'))).toEqual([
    expect.stringMatching(
      /^CREATE of pods may wait 30 s for webhooks: mpod.* 10 s, quicid.* 10 s, alb-target-control.namespace.* 10 s$/,
    ),
  ]);
});

test('reviews are of an old version, and the pods have no budget', () => {
  expect(entriesOf(lintText(chart(), { rules: ['WH11'] }))).toBe(10);
  expect(brief(lintText(chart(), { rules: ['WH12'] }))).toEqual([
    'warning WH12 /spec/template/metadata/labels',
  ]);
});
