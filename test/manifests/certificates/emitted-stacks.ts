import { App, Chart, Testing } from 'cdk8s';
import type { Intent } from '../../../lib/core/admission/intent';
import type { CaRotationPhase } from '../../../lib/core/certificates/ca-rotation';
import type { InjectedObject } from '../../../lib/manifests/certificates';
import { CertificateAuthority, WebhookCertificate } from '../../../lib/manifests/certificates';
import {
  ApiService,
  ConversionWebhook,
  MutatingPolicy,
  MutatingWebhook,
  ValidatingPolicy,
  ValidatingWebhook,
} from '../../../lib/manifests/webhooks';
import type {
  MutatingPolicyProps,
  MutatingWebhookProps,
  ValidatingPolicyProps,
} from '../../../lib/manifests/webhooks';
import { gateways } from '../webhooks/policy-samples';

/** Where the CA of a stack comes from. */
export type Source = 'elsewhere' | 'own' | 'Issuer' | 'ClusterIssuer' | CaRotationPhase;

/** What stands behind one Service, with its certificate. */
export interface Stack {
  readonly source: Source;
  readonly generation: number;
  /** Which APIs call the server beside the webhook. */
  readonly also: readonly ('conversion' | 'api')[];
  readonly webhook: MutatingWebhookProps;
  readonly policies: readonly (ValidatingPolicyProps | MutatingPolicyProps)[];
}

const image = `registry.example.com/cluster-canary@sha256:${'a'.repeat(64)}`;

/**
 * The objects that the constructs make of a stack.
 *
 * @throws InvalidInput where they refuse it
 */
export function emitStack({ source, generation, also, webhook, policies }: Stack): any[] {
  const chart = new Chart(new App(), 'chart');
  const { service, server = { podLabels: { app: 'server' }, replicas: 2 } } = webhook;
  const mutating = webhook.reinvocationPolicy !== undefined;
  const injectedInto: InjectedObject[] = [
    {
      kind: mutating ? 'MutatingWebhookConfiguration' : 'ValidatingWebhookConfiguration',
      name: webhook.name,
    },
    ...also.map((each): InjectedObject =>
      each === 'api'
        ? { kind: 'APIService', name: 'v1.things.example.com' }
        : { kind: 'CustomResourceDefinition', name: gateways.metadata.name },
    ),
  ];
  const certified = certificateOf(chart, source, generation, service, injectedInto);
  new (mutating ? MutatingWebhook : ValidatingWebhook)(chart, 'webhook', { ...webhook, ...certified });
  const called = { service, server, ...certified };
  if (also.includes('conversion')) {
    new ConversionWebhook(chart, 'conversion', { ...called, definition: gateways });
  }
  if (also.includes('api')) {
    new ApiService(chart, 'api', {
      ...called,
      group: 'things.example.com',
      version: 'v1',
    });
  }
  policies.forEach((each, index) =>
    'mutations' in each
      ? new MutatingPolicy(chart, `policy${index}`, { ...each, metadata: { name: `policy-${index}` } })
      : new ValidatingPolicy(chart, `policy${index}`, { ...each, metadata: { name: `policy-${index}` } }),
  );
  return Testing.synth(chart);
}

function certificateOf(
  chart: Chart,
  source: Source,
  generation: number,
  service: MutatingWebhookProps['service'],
  injectedInto: readonly InjectedObject[],
): Pick<MutatingWebhookProps, 'certificate' | 'caInjection'> {
  const { name, namespace } = service;
  if (source === 'elsewhere') {
    return {
      caInjection: {
        annotations: { 'cert-manager.io/inject-ca-from': `${namespace}/elsewhere` },
        providerNamespaces: ['cert-manager'],
      },
    };
  }
  if (source === 'own') {
    return { certificate: new WebhookCertificate(chart, 'certificate', { service: { name, namespace } }) };
  }
  const rekeyed = source !== 'Issuer' && source !== 'ClusterIssuer';
  const authority = new CertificateAuthority(chart, 'authority', {
    name: 'gates',
    namespace: source === 'ClusterIssuer' ? 'cert-manager' : namespace,
    issuerKind: source === 'ClusterIssuer' ? source : 'Issuer',
    generation,
    ...(rekeyed ? { rotation: { phase: source, image, services: [{ name, namespace }], injectedInto } } : {}),
  });
  return {
    certificate: new WebhookCertificate(chart, 'certificate', { service: { name, namespace }, authority }),
  };
}

/** The Service and the Deployment of a stack's server, with a PodDisruptionBudget where the constructs make none. */
export function serverOf({ webhook, also }: Stack): any[] {
  const { service, server } = webhook;
  const { podLabels = { app: 'server' }, replicas = 2 } = server ?? {};
  const { name, namespace } = service;
  const metadata = { name, namespace };
  const container = {
    name: 'server',
    image,
    ports: [{ containerPort: 8443 }],
    readinessProbe: { httpGet: { path: '/ready', port: 8443, scheme: 'HTTPS' } },
  };
  const budgeted = server ? server.disruptionBudget !== 'exists' : also.length > 0;
  return [
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata,
      spec: { selector: podLabels, ports: [{ port: service.port ?? 443, targetPort: 8443 }] },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: {
        replicas,
        selector: { matchLabels: podLabels },
        template: { metadata: { labels: podLabels }, spec: { containers: [container] } },
      },
    },
    ...(budgeted
      ? []
      : [
          {
            apiVersion: 'policy/v1',
            kind: 'PodDisruptionBudget',
            metadata,
            spec: { maxUnavailable: 1, selector: { matchLabels: podLabels } },
          },
        ]),
  ];
}

/** cert-manager itself: what a webhook of its Certificates must not stop. */
export const certManager = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'cert-manager', namespace: 'cert-manager' },
  spec: {
    template: {
      metadata: { labels: { 'app.kubernetes.io/name': 'cert-manager' } },
      spec: {
        containers: [
          { name: 'cert-manager-controller', image: 'quay.io/jetstack/cert-manager-controller:v1.21.2' },
        ],
      },
    },
  },
};

/** A stack of each intent, with everything that the constructs can make. */
export const sampleStack = (intent: Intent, source: Source): Stack => ({
  source,
  generation: 2,
  also: ['conversion', 'api'],
  webhook: {
    name: 'gate.pods.example.com',
    intent,
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    service: { name: 'gate', namespace: 'gate-system' },
    ...(intent === 'security'
      ? { server: { podLabels: { app: 'gate' }, replicas: 2 } }
      : { optIn: { 'example.com/gate': 'enabled' }, reinvocationPolicy: 'Never' }),
  },
  policies: [],
});
