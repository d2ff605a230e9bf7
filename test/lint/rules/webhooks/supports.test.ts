import { found, leavingOut, messages, rule, server, webhook } from './manifests';

/** A webhook on new pods, those of everything but its own namespace, with its server. */
function gate(pod = 'hostNetwork: true', annotations = '{}'): string {
  const entry = { rules: rule('pods'), namespaceSelector: leavingOut('gate-system') };
  return webhook(entry, { annotations }) + server('gate', { 'containers:': `${pod}\n      containers:` });
}

/** Something in another namespace, in the network of its node. */
const other = (labels: string, pod: string): string => `---
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: other, namespace: other }
spec:
  template:
    metadata: { labels: ${labels} }
    spec: { hostNetwork: true, ${pod} }
`;
const withPath = (path: string): string => other('{}', `volumes: [{ name: a, hostPath: { path: ${path} } }]`);
const withImages = (...images: readonly string[]): string =>
  other('{}', `containers: [${images.map((image) => `{ name: c, image: "${image}" }`).join(', ')}]`);
const withLabel = (name: string): string => other(`{ app.kubernetes.io/name: ${name} }`, 'containers: []');

const claim = (kind: string): string => `hostNetwork: true\n      volumes: [{ name: data, ${kind}: {} }]`;
const injected = '{ cert-manager.io/inject-ca-from: gate-system/gate }';

test.each<[string, string, boolean]>([
  ['a network plugin', gate(' ') + withPath('/opt/cni'), true],
  ['one by its settings', gate(' ') + withPath('/etc/cni/net.d'), true],
  ['a path that only looks like one', gate(' ') + withPath('/srv/opt/cni'), false],
  ['another path', gate(' ') + withPath('/opt/cnivorous'), false],
  ['a network plugin that it needs not', gate() + withPath('/opt/cni'), false],
  [
    'a driver for its claim',
    gate(claim('persistentVolumeClaim')) + withPath('/var/lib/kubelet/plugins/a'),
    true,
  ],
  ['a driver for its own volume', gate(claim('csi')) + withPath('/var/lib/kubelet/plugins_registry'), true],
  ['a driver for what it makes', gate(claim('ephemeral')) + withPath('/var/lib/kubelet/plugins'), true],
  ['a driver for an empty folder', gate(claim('emptyDir')) + withPath('/var/lib/kubelet/plugins'), false],
  ['the logs of pods', gate(claim('csi')) + withPath('/var/log'), false],
  [
    'a sidecar of Kubernetes',
    gate(claim('csi')) + withImages('a:1', 'k8s.gcr.io/sig/csi-provisioner:v5'),
    true,
  ],
  ['a sidecar under another name', gate(claim('csi')) + withImages('a/external-csi-attacher@sha256:0'), true],
  ['something else', gate(claim('csi')) + withImages('a/csi-provisioner-dashboard:v5'), false],
  ['cert-manager, by its label', gate('hostNetwork: true', injected) + withLabel('cert-manager'), true],
  ['cainjector, by its label', gate('hostNetwork: true', injected) + withLabel('cainjector'), true],
  [
    'cert-manager, by an image',
    gate('hostNetwork: true', injected) + withImages('a/b:1', 'quay.io/jetstack/cert-manager-webhook:v1'),
    true,
  ],
  [
    'cert-manager, by an image without a tag',
    gate('hostNetwork: true', injected) + withImages('quay.io/jetstack/cert-manager-controller'),
    true,
  ],
  [
    'an image that only looks like one',
    gate('hostNetwork: true', injected) + withImages('a/cert-manager-webhook-dns:v1'),
    false,
  ],
  ['cert-manager that it needs not', gate() + withLabel('cert-manager'), false],
])('needed to start or not: %s', (_, yaml, isNeeded) => {
  expect(found('WH05', yaml).filter((each) => each.startsWith('error'))).toHaveLength(isNeeded ? 1 : 0);
});

test('names what is needed', () => {
  expect(messages('WH05', gate(' ') + withPath('/opt/cni'))).toBe(
    'webhook gate.example.com (Fail) is called for the pods of DaemonSet other/other, and its own need those to start: Deployment gate-system/gate -> the pod network -> DaemonSet other/other',
  );
  expect(messages('WH05', gate(claim('csi')) + withPath('/var/lib/kubelet/plugins'))).toContain(
    ' -> storage -> ',
  );
});
