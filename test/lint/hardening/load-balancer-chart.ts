import { stringify } from 'yaml';
import type { HelmValues } from '../../../lib/pulumi/addons';
import type { Issued } from '../../manifests/certificates/issue';
import { base64 } from '../../manifests/certificates/issue';

/**
 * A chart of our own, with the webhooks, the certificates and the server that the chart of the AWS Load Balancer Controller
 * 3.5.0 makes of the same values.
 * @see https://github.com/kubernetes-sigs/aws-load-balancer-controller/tree/v3.5.0/helm/aws-load-balancer-controller
 */
export function loadBalancerChart(values: HelmValues = {}, made?: Made): string {
  const all: typeof defaults = { ...defaults, ...values };
  const documents = [
    ...(all.replicaCount > 1 && all.podDisruptionBudget ? [budget(all.podDisruptionBudget)] : []),
    service(all.serviceAnnotations),
    deployment(all.replicaCount),
    ...(all.enableCertManager ? certificates(all.certManager) : made ? [secret(made)] : []),
    configuration('MutatingWebhookConfiguration', mutating(all), all, made),
    configuration('ValidatingWebhookConfiguration', validating(all), all, made),
  ];
  return documents
    .map((document) => `---\n# Source: aws-load-balancer-controller/templates\n${stringify(document)}`)
    .join('');
}

/** What the chart makes while it is rendered, where cert-manager is off. */
export interface Made {
  readonly authority: Issued;
  readonly leaf: Issued;
}

/** Name of the authority that the chart makes. */
export const madeAuthority = 'aws-load-balancer-controller-ca';

interface CertManagerValues {
  readonly duration?: string;
  readonly renewBefore?: string;
  readonly issuerRef?: object;
  readonly rootCert?: { readonly duration?: string };
}

const defaults = {
  replicaCount: 2,
  podDisruptionBudget: undefined as object | undefined,
  serviceAnnotations: undefined as object | undefined,
  enableCertManager: false,
  certManager: { duration: '8760h0m0s', renewBefore: '720h0m0s' } as CertManagerValues,
  webhookNamespaceSelectors: undefined as readonly object[] | undefined,
  enableServiceMutatorWebhook: true,
  podMutatorWebhookConfig: { failurePolicy: 'Ignore' },
  webhookConfig: {} as { readonly disableIngressValidation?: boolean },
};
type Values = typeof defaults;

const name = 'aws-load-balancer';
const namespace = 'kube-system';
const app = { 'app.kubernetes.io/name': 'aws-load-balancer-controller' };
/** Namespace and name of the Service that the webhooks call. */
export const webhookService = `${namespace}/${name}-webhook-service`;
/** Names of the Service that the certificate is for. */
export const dnsNames = [
  `${name}-webhook-service.${namespace}.svc`,
  `${name}-webhook-service.${namespace}.svc.cluster.local`,
];

const metadata = (suffix: string, more: object = {}) => ({
  name: `${name}-${suffix}`,
  namespace,
  labels: app,
  ...more,
});

const budget = (spec: object) => ({
  apiVersion: 'policy/v1',
  kind: 'PodDisruptionBudget',
  metadata: metadata('controller'),
  spec: { selector: { matchLabels: app }, ...spec },
});

const service = (annotations?: object) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: metadata('webhook-service', annotations ? { annotations } : {}),
  spec: { ports: [{ port: 443, name: 'webhook-server', targetPort: 'webhook-server' }], selector: app },
});

const deployment = (replicas: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: metadata('controller'),
  spec: {
    replicas,
    selector: { matchLabels: app },
    template: {
      metadata: { labels: app },
      spec: {
        volumes: [{ name: 'cert', secret: { defaultMode: 420, secretName: `${name}-tls` } }],
        containers: [
          {
            name: 'aws-load-balancer-controller',
            image: 'registry.example.com/aws-load-balancer-controller:v3.5.0',
            volumeMounts: [
              { mountPath: '/tmp/k8s-webhook-server/serving-certs', name: 'cert', readOnly: true },
            ],
            ports: [{ name: 'webhook-server', containerPort: 9443 }],
            readinessProbe: { httpGet: { path: '/readyz', port: 61779 } },
          },
        ],
      },
    },
  },
});

function certificates({ issuerRef, rootCert, duration, renewBefore }: CertManagerValues): object[] {
  const issuer = (suffix: string, spec: object) => ({
    apiVersion: 'cert-manager.io/v1',
    kind: 'Issuer',
    metadata: metadata(suffix),
    spec,
  });
  const certificate = (suffix: string, spec: object) => ({
    apiVersion: 'cert-manager.io/v1',
    kind: 'Certificate',
    metadata: metadata(suffix),
    spec,
  });
  const leaf = certificate('serving-cert', {
    dnsNames,
    issuerRef: issuerRef ?? { kind: 'Issuer', name: `${name}-root-issuer` },
    secretName: `${name}-tls`,
    ...(duration ? { duration } : {}),
    ...(renewBefore ? { renewBefore } : {}),
  });
  return issuerRef
    ? [leaf]
    : [
        issuer('selfsigned-issuer', { selfSigned: {} }),
        certificate('root-cert', {
          secretName: `${name}-root-cert`,
          duration: rootCert?.duration ?? '43800h0m0s',
          issuerRef: { name: `${name}-selfsigned-issuer` },
          commonName: 'ca.webhook.aws-load-balancer-controller',
          isCA: true,
        }),
        issuer('root-issuer', { ca: { secretName: `${name}-root-cert` } }),
        leaf,
      ];
}

const secret = ({ authority, leaf }: Made) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: metadata('tls'),
  type: 'kubernetes.io/tls',
  data: {
    'ca.crt': base64(authority.certificate),
    'tls.crt': base64(leaf.certificate),
    'tls.key': base64(leaf.key),
  },
});

function configuration(kind: string, entries: readonly Entry[], values: Values, made?: Made): object {
  const annotations = { 'cert-manager.io/inject-ca-from': `${namespace}/${name}-serving-cert` };
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind,
    metadata: {
      ...(values.enableCertManager ? { annotations } : {}),
      name: `${name}-webhook`,
      labels: app,
    },
    webhooks: entries.map(({ path, rules, ...entry }) => ({
      clientConfig: {
        ...(made && !values.enableCertManager ? { caBundle: base64(made.authority.certificate) } : {}),
        service: { name: `${name}-webhook-service`, namespace, path: `/${path}` },
      },
      admissionReviewVersions: ['v1'],
      rules: [rules],
      sideEffects: 'None',
      ...entry,
    })),
  };
}

interface Entry {
  readonly name: string;
  readonly path: string;
  readonly failurePolicy: string;
  readonly rules: object;
  readonly namespaceSelector?: object;
  readonly objectSelector?: object;
}

const rule = (
  apiGroups: string,
  apiVersions: string,
  resources: string,
  ...operations: readonly string[]
) => ({
  apiGroups: [apiGroups],
  apiVersions: [apiVersions],
  operations,
  resources: [resources],
});
const newPods = rule('', 'v1', 'pods', 'CREATE');
const own = (resources: string) => rule('elbv2.k8s.aws', 'v1beta1', resources, 'CREATE', 'UPDATE');
const expression = (key: string, operator: string, ...values: readonly string[]) => ({
  key,
  operator,
  ...(values.length > 0 ? { values } : {}),
});
const notItself = expression('app.kubernetes.io/name', 'NotIn', 'aws-load-balancer-controller');
const selector = (...matchExpressions: readonly object[]) => ({ matchExpressions });
const agent = 'elbv2.k8s.aws/alb-target-control-agent-inject';

function mutating(values: Values): Entry[] {
  const asking = (label: string) =>
    selector(
      ...(values.webhookNamespaceSelectors ?? [expression(`elbv2.k8s.aws/${label}`, 'In', 'enabled')]),
    );
  return [
    {
      name: 'mpod.elbv2.k8s.aws',
      path: 'mutate-v1-pod',
      failurePolicy: values.podMutatorWebhookConfig.failurePolicy,
      namespaceSelector: asking('pod-readiness-gate-inject'),
      objectSelector: selector(notItself),
      rules: newPods,
    },
    {
      name: 'quicid.elbv2.k8s.aws',
      path: 'mutate-v1-pod-server-id',
      failurePolicy: 'Fail',
      namespaceSelector: asking('quic-server-id-inject'),
      objectSelector: selector(notItself),
      rules: newPods,
    },
    ...(values.enableServiceMutatorWebhook
      ? [
          {
            name: 'mservice.elbv2.k8s.aws',
            path: 'mutate-v1-service',
            failurePolicy: 'Fail',
            objectSelector: selector(notItself),
            rules: rule('', 'v1', 'services', 'CREATE'),
          },
        ]
      : []),
    {
      name: 'alb-target-control.namespace.elbv2.k8s.aws',
      path: 'mutate-alb-target-control-namespace-v1-pod',
      failurePolicy: 'Fail',
      namespaceSelector: selector(expression(`${agent}ion`, 'In', 'enabled')),
      objectSelector: selector(notItself, expression(agent, 'NotIn', 'false')),
      rules: newPods,
    },
    {
      name: 'alb-target-control.object.elbv2.k8s.aws',
      path: 'mutate-alb-target-control-object-v1-pod',
      failurePolicy: 'Fail',
      namespaceSelector: selector(expression(`${agent}ion`, 'DoesNotExist')),
      objectSelector: selector(notItself, expression(agent, 'In', 'true')),
      rules: newPods,
    },
    {
      name: 'mtargetgroupbinding.elbv2.k8s.aws',
      path: 'mutate-elbv2-k8s-aws-v1beta1-targetgroupbinding',
      failurePolicy: 'Fail',
      rules: own('targetgroupbindings'),
    },
  ];
}

function validating({ webhookConfig }: Values): Entry[] {
  return [
    {
      name: 'vingressclassparams.elbv2.k8s.aws',
      path: 'validate-elbv2-k8s-aws-v1beta1-ingressclassparams',
      failurePolicy: 'Fail',
      objectSelector: selector(notItself),
      rules: own('ingressclassparams'),
    },
    {
      name: 'vtargetgroupbinding.elbv2.k8s.aws',
      path: 'validate-elbv2-k8s-aws-v1beta1-targetgroupbinding',
      failurePolicy: 'Fail',
      rules: own('targetgroupbindings'),
    },
    ...(webhookConfig.disableIngressValidation === true
      ? []
      : [
          {
            name: 'vingress.elbv2.k8s.aws',
            path: 'validate-networking-v1-ingress',
            failurePolicy: 'Fail',
            rules: rule('networking.k8s.io', 'v1', 'ingresses', 'CREATE', 'UPDATE'),
          },
        ]),
  ];
}
