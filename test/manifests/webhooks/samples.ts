import type { WebhookRule } from '../../../lib/core/admission/requests';
import { webhookProblems } from '../../../lib/manifests/webhooks';
import type { MutatingWebhookProps } from '../../../lib/manifests/webhooks';

/** Pods when they are created. */
export const pods: WebhookRule = {
  operations: ['CREATE'],
  apiGroups: [''],
  apiVersions: ['v1'],
  resources: ['pods'],
};

/** Props of a webhook that an object asks for, and then needs. */
export const required: MutatingWebhookProps = {
  name: 'gate.pods.example.com',
  intent: 'required',
  rules: [pods],
  service: { name: 'gate', namespace: 'gate-system' },
  optIn: { 'example.com/gate': 'enabled' },
  caInjection: { annotations: { 'cert-manager.io/inject-ca-from': 'gate-system/gate-ca-g1' } },
};

/** Props of a webhook that nobody may avoid. */
export const security: MutatingWebhookProps = {
  ...required,
  intent: 'security',
  optIn: undefined,
  server: { podLabels: { app: 'gate' }, replicas: 2 },
};

/** The paths of what is wrong, each once, in order. */
export function wrong(props: MutatingWebhookProps): string[] {
  return [...new Set(webhookProblems(props).map(({ path }) => path))];
}
