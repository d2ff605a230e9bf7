import type { Entry } from './manifests';
import { expression, found, leavingOut, messages, rule, server, webhook } from './manifests';

/** A webhook on new pods, behind the server of that name. */
function gate(name: string, entry: Entry, annotations?: string): string {
  const fields = {
    name: `${name}.example.com`,
    clientConfig: `{ service: { name: ${name}, namespace: ${name}-system } }`,
    rules: rule('pods'),
  };
  return webhook({ ...fields, ...entry }, { name, ...(annotations === undefined ? {} : { annotations }) });
}
const except = (...names: string[]): Entry => ({ namespaceSelector: leavingOut('kube-system', ...names) });
const hosted = (name: string): string =>
  server(name, { 'containers:': 'hostNetwork: true\n      containers:' });
const two = server('gate') + server('scan');
const at = '/webhooks/0/namespaceSelector';

/** A DaemonSet in kube-system with a volume from the node. */
const agent = (path: string): string => `---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent, namespace: kube-system }
spec:
  template:
    metadata: { labels: { k8s-app: agent } }
    spec:
      hostNetwork: true
      volumes: [{ name: host, hostPath: { path: ${path} } }]
`;
const certManager = `---
apiVersion: apps/v1
kind: Deployment
metadata: { name: cert-manager, namespace: certificates }
spec:
  template:
    metadata: { labels: { app.kubernetes.io/name: cert-manager } }
    spec:
      hostNetwork: true
`;
const injected = '{ cert-manager.io/inject-ca-from: gate-system/gate }';

test.each<[string, string, string[]]>([
  [
    'two that are called for each other',
    gate('gate', except('gate-system')) + gate('scan', except('scan-system')) + two,
    [`error ${at}`, `error ${at}`],
  ],
  [
    'two whose pods need nothing but each other: they are in the network of their nodes',
    gate('gate', except('gate-system')) +
      gate('scan', except('scan-system')) +
      hosted('gate') +
      hosted('scan'),
    [`error ${at}`, `error ${at}`],
  ],
  [
    'three in a ring',
    gate('gate', except('gate-system', 'third-system')) +
      gate('scan', except('scan-system', 'gate-system')) +
      gate('third', except('third-system', 'scan-system')) +
      two +
      server('third'),
    [`error ${at}`, `error ${at}`, `error ${at}`],
  ],
  [
    'the network',
    gate('gate', { namespaceSelector: leavingOut('gate-system') }) + server() + agent('/opt/cni/bin'),
    [`error ${at}`],
  ],
  [
    'the driver of its volumes',
    gate('gate', { namespaceSelector: leavingOut('gate-system') }) +
      server('gate', {
        'containers:':
          'volumes: [{ name: data, persistentVolumeClaim: { claimName: data } }]\n      containers:',
      }) +
      agent('/var/lib/kubelet/plugins/csi.example.com'),
    [`error ${at}`],
  ],
  [
    'cert-manager, which makes its certificate',
    gate('gate', except('gate-system'), injected) + server() + certManager,
    [`error ${at}`],
  ],
  [
    'cert-manager, which is not there',
    gate('gate', except('gate-system'), injected) + server(),
    [`info ${at}`],
  ],
  [
    'labels that nobody knows of',
    gate('gate', { namespaceSelector: expression('skip', 'DoesNotExist') }) +
      gate('scan', except('scan-system')) +
      two,
    [`info ${at}`, `info ${at}`],
  ],
])('fires: %s', (_, yaml, expected) => {
  expect(found('WH05', yaml)).toEqual(expected);
});

test.each<[string, string]>([
  [
    'one direction only',
    gate('gate', except('gate-system', 'scan-system')) + gate('scan', except('scan-system')) + two,
  ],
  [
    'one of them lets requests pass',
    gate('gate', { ...except('gate-system'), failurePolicy: 'Ignore' }) +
      gate('scan', except('scan-system')) +
      two,
  ],
  [
    'one of them asks for a label',
    gate('gate', { objectSelector: '{ matchLabels: { gate: enabled } }' }) +
      gate('scan', except('scan-system')) +
      two,
  ],
  [
    'one of them is not asked about pods',
    gate('gate', { rules: rule('services') }) + gate('scan', except('scan-system')) + two,
  ],
  ['its own pods, which is another rule', gate('gate', {}) + server()],
  [
    'two webhooks of one server',
    gate('gate', {}) +
      gate('scan', { clientConfig: '{ service: { name: gate, namespace: gate-system } }' }) +
      server(),
  ],
  ['a network that it leaves out', gate('gate', except('gate-system')) + server() + agent('/opt/cni/bin')],
  [
    'a driver for volumes, of which it has none',
    gate('gate', { namespaceSelector: leavingOut('gate-system') }) +
      server() +
      agent('/var/lib/kubelet/plugins/csi.example.com'),
  ],
  [
    'a network that it does not use',
    gate('gate', { namespaceSelector: leavingOut('gate-system') }) +
      server('gate', { 'containers:': 'hostNetwork: true\n      containers:' }) +
      agent('/opt/cni/bin'),
  ],
  ['cert-manager, which is nothing to it', gate('gate', except('gate-system')) + server() + certManager],
  [
    'cert-manager left out',
    gate('gate', except('gate-system', 'certificates'), injected) + server() + certManager,
  ],
  [
    'cert-manager left out, which is not there',
    gate('gate', except('gate-system', 'cert-manager'), injected) + server(),
  ],
])('is silent: %s', (_, yaml) => {
  expect(found('WH05', yaml)).toEqual([]);
});

test('tells the way around', () => {
  const yaml = gate('gate', except('gate-system')) + gate('scan', except('scan-system')) + two;
  expect(messages('WH05', yaml).split('\n')[0]).toBe(
    'webhook gate.example.com (Fail) is called for the pods of Deployment scan-system/scan, and its own need those to start: Deployment gate-system/gate -> webhook scan.example.com (Fail) -> Deployment scan-system/scan',
  );
});

test('every one of many that are called for each other is found; too many are not looked at', () => {
  const many = (count: number): string =>
    Array.from({ length: count }, (_, each) => `gate-${each}`)
      .map((name) => gate(name, except(`${name}-system`)) + server(name))
      .join('');
  expect(found('WH05', many(60))).toHaveLength(60);
  expect(found('WH05', many(230))).toEqual(['info /webhooks/0']);
  expect(messages('WH05', many(230))).toMatch(/^230 webhooks, .* too many/);
});
