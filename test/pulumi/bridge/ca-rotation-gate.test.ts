import { App, Chart } from 'cdk8s';
import type { CaRotationPhase } from '../../../lib/core/certificates/ca-rotation';
import { CertificateAuthority, WebhookCertificate } from '../../../lib/manifests/certificates';
import { MutatingWebhook } from '../../../lib/manifests/webhooks';
import { gateRefusal } from '../../../lib/pulumi/bridge/ca-rotation-gate';
import { orderObjects } from '../../../lib/pulumi/bridge/manifest-yaml';
import { gatedObjects } from '../../../lib/pulumi/bridge/manifests';

const service = { name: 'gate', namespace: 'gate-system' };

function gated(phase?: CaRotationPhase): string[] {
  const app = new App();
  const chart = new Chart(app, 'chart');
  const authority = new CertificateAuthority(chart, 'authority', {
    ...{ name: 'gates', namespace: 'gate-system', generation: 2 },
    ...(phase === undefined
      ? {}
      : {
          rotation: {
            phase,
            image: `registry.example.com/cluster-canary@sha256:${'a'.repeat(64)}`,
            services: [service],
            injectedInto: [{ kind: 'MutatingWebhookConfiguration', name: 'gate.pods.example.com' }],
          },
        }),
  });
  const certificate = new WebhookCertificate(chart, 'certificate', { service, authority });
  new MutatingWebhook(chart, 'webhook', {
    ...{ name: 'gate.pods.example.com', intent: 'required', service, certificate },
    optIn: { 'example.com/gate': 'enabled' },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
  });
  return [...gatedObjects(app, orderObjects(app))].map(
    ([object, gates]) => `${object.kind} ${gates.map(({ name }) => name.replace(/-\w+$/, '')).join()}`,
  );
}

test.each<[CaRotationPhase | undefined, string[]]>([
  [undefined, []],
  ['publish', ['Certificate gates-g2-bundle', 'MutatingWebhookConfiguration gates-g2-bundle']],
  ['switch', ['Certificate gates-g2-gate', 'MutatingWebhookConfiguration gates-g2-gate']],
  [
    'retire',
    ['Job gates-g2-gate', 'Certificate gates-g2-gate', 'MutatingWebhookConfiguration gates-g2-gate'],
  ],
])('in %s all that a phase changes waits for its gate', (phase, expected) => {
  expect(gated(phase).sort()).toEqual([...expected].sort());
});

test.each([
  ['succeeded', ['The phase switch is over.'], undefined],
  ['running', [], 'has not ended'],
  [
    'failed',
    ['The phase switch is not over:', 'pod a: old'],
    'has failed\nThe phase switch is not over:\npod a: old',
  ],
  ['failed', [], 'has failed'],
  ['missing', [], 'is not there any more: refresh the stack, which makes it anew'],
] as const)('a Job that has %s', (state, said, refusal) => {
  expect(gateRefusal({ name: 'gates-g2-gate', state, message: said })).toBe(
    refusal && `the Job gates-g2-gate, which says whether this may change, ${refusal}`,
  );
});
