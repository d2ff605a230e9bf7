import type { ChartProps } from 'cdk8s';
import { ApiObject, Chart } from 'cdk8s';
import { WebhookCertificate } from 'cluster-canary/certificates';
import { MutatingWebhook } from 'cluster-canary/webhooks';
import type { Construct } from 'constructs';

/**
 * A platform team's own webhook: it fills in defaults of pods that ask for it by a label. Its server comes with the
 * team's other applications, maybe later than this registration; since the webhook is a convenience, no pod is
 * refused while nobody answers.
 */
export class PodDefaultsChart extends Chart {
  public constructor(scope: Construct, id: string, props: ChartProps = {}) {
    super(scope, id, props);
    const service = { name: 'pod-defaults', namespace: 'platform' };
    new ApiObject(this, 'namespace', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: service.namespace },
    });
    new MutatingWebhook(this, 'webhook', {
      name: 'pod-defaults.platform.example.com',
      intent: 'convenience',
      optIn: { 'platform.example.com/pod-defaults': 'enabled' },
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
      service: { ...service, path: '/mutate' },
      certificate: new WebhookCertificate(this, 'certificate', { service }),
    });
  }
}
