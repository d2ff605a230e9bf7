import { hardenAnnotation } from '../../../../core/names';
import { Problems } from '../../../../core/validation/problems';
import type { Problem } from '../../../../core/validation/problems';
import type { HardeningDecision } from '../../../../lint';
import { isValues, helmValueAt } from '../../helm-values';
import type { HelmValues } from '../../helm-values';

/** What the AWS Load Balancer Controller is installed for. */
export type LoadBalancerControllerManages = 'targetGroupBindings' | 'ingresses';

/** Service account of the controller, in `kube-system`. */
export const controllerServiceAccount = 'aws-load-balancer-controller';

/** What the values of the chart depend on. */
export interface LoadBalancerControllerSettings {
  /** Name of the EKS cluster, or an output of it. */
  readonly clusterName: unknown;
  /** AWS region: the nodes' metadata service is out of reach for pods, so it can't be found out. */
  readonly region: unknown;
  /** VPC of the cluster, for the same reason. */
  readonly vpcId: unknown;
  /** cert-manager issuer of the webhooks' certificate. */
  readonly issuerRef: { readonly name: string; readonly kind?: string; readonly group?: string };
  /** What the chart has no values for, and the post-renderer writes. */
  readonly decision: Omit<HardeningDecision, 'service'>;
  readonly replicas: number;
  readonly manages: LoadBalancerControllerManages;
}

/**
 * What is set of the chart's values.
 *
 * Value names and what they do:
 * https://github.com/kubernetes-sigs/aws-load-balancer-controller/blob/v3.5.0/helm/aws-load-balancer-controller/values.yaml
 * and templates/webhook.yaml beside it.
 */
export function loadBalancerControllerValues(settings: LoadBalancerControllerSettings): HelmValues {
  const { clusterName, region, vpcId, issuerRef, decision, replicas, manages } = settings;
  return {
    clusterName,
    region,
    vpcId,
    replicaCount: replicas,
    // The chart makes no budget for a single pod.
    podDisruptionBudget: { maxUnavailable: 1 },
    serviceAccount: { create: true, name: controllerServiceAccount },
    enableCertManager: true,
    // Durations as cert-manager writes them, so that nothing looks changed: 90 days, and 30 days before the end.
    certManager: { duration: '2160h0m0s', renewBefore: '720h0m0s', issuerRef: { ...issuerRef } },
    // Of the Service that the webhooks call: the chart injects from the leaf and sets no timeouts, without a value for either.
    serviceAnnotations: { [hardenAnnotation]: JSON.stringify(decision) },
    // Off, it would see every Service of the cluster, with Fail; the load balancer is Pulumi's, not a Service's.
    enableServiceMutatorWebhook: false,
    podMutatorWebhookConfig: { failurePolicy: 'Ignore' },
    // It would see every Ingress of the cluster, other controllers' as well, with Fail.
    webhookConfig: { disableIngressValidation: true },
    ...(manages === 'ingresses' ? {} : { createIngressClassResource: false }),
  };
}

/** A user's value that would undo what makes the controller safe to run, and what is accepted there instead. */
interface Guard {
  readonly path: string;
  /** Whether the user's value undoes it; `values` are all of the user's. */
  readonly undoes: (value: unknown, values: HelmValues) => boolean;
  readonly allowed: string;
}

const isSet = (value: unknown) =>
  Array.isArray(value) ? value.length > 0 : isValues(value) ? Object.keys(value).length > 0 : Boolean(value);

/** Whether one of the selectors at these paths selects anything less than everything. */
function hasSelector(values: HelmValues, paths: readonly string[]): boolean {
  return paths.some((path) => {
    const selector = helmValueAt(values, path);
    return isValues(selector)
      ? isSet(selector.matchLabels) || isSet(selector.matchExpressions)
      : isSet(selector);
  });
}

const guards: readonly Guard[] = [
  {
    path: 'webhookNamespaceSelectors',
    undoes: isSet,
    allowed:
      'left out: it also replaces the selector of the webhook quicid.elbv2.k8s.aws, which is fixed to Fail, and so could refuse pods in every namespace that it matches',
  },
  {
    path: 'enableCertManager',
    undoes: (value) => value !== undefined && value !== true,
    allowed: 'left out: without cert-manager, every rendering of the chart makes a new certificate authority',
  },
  ...['issuerRef', 'duration', 'renewBefore'].map((key) => ({
    path: `certManager.${key}`,
    undoes: (value: unknown) => value !== undefined,
    allowed: 'left out: issuer and durations fit the certificate authority of the add-on',
  })),
  {
    path: `serviceAnnotations.${hardenAnnotation}`,
    undoes: (value) => value !== undefined,
    allowed: 'left out: it names the certificate authority of the add-on',
  },
  {
    path: 'enableServiceMutatorWebhook',
    undoes: (value, values) =>
      value !== undefined &&
      value !== false &&
      !hasSelector(values, [
        'serviceMutatorWebhookConfig.namespaceSelectors',
        'serviceMutatorWebhookConfig.objectSelector',
      ]),
    allowed:
      'left out, or scoped by serviceMutatorWebhookConfig.namespaceSelectors or .objectSelector: it would see every Service',
  },
  {
    path: 'webhookConfig.disableIngressValidation',
    undoes: (value, values) =>
      value !== undefined &&
      value !== true &&
      !hasSelector(values, [
        'webhookConfig.ingressValidationNamespaceSelector',
        'webhookConfig.ingressValidationObjectSelector',
      ]),
    allowed:
      'left out, or scoped by webhookConfig.ingressValidationNamespaceSelector or .ingressValidationObjectSelector: it would see every Ingress',
  },
  ...['create', 'name'].map((key) => ({
    path: `serviceAccount.${key}`,
    undoes: (value: unknown) =>
      value !== undefined && value !== (key === 'create' ? true : controllerServiceAccount),
    allowed: `left out: the IAM role is for the service account "${controllerServiceAccount}"`,
  })),
];

/** Objects of values in which something is guarded: given as an output, they could not be looked into. */
const guardedGroups = [
  ...new Set(guards.filter(({ path }) => path.includes('.')).map(({ path }) => path.split('.')[0]!)),
];

/** A user's values that the add-on does not take, with paths below `values`. */
export function loadBalancerControllerValueProblems(values: HelmValues): Problem[] {
  const problems = new Problems('AWS Load Balancer Controller');
  for (const group of guardedGroups) {
    if (values[group] !== undefined && !isValues(values[group])) {
      addProblem(problems, group, values[group], 'a plain object, with outputs only as its values');
    }
  }
  for (const { path, undoes, allowed } of guards) {
    const value = helmValueAt(values, path);
    if (undoes(value, values)) {
      addProblem(problems, path, value, allowed);
    }
  }
  return [...problems.all];
}

/** An output is not shown: it may be secret, and says nothing before it is known. */
function addProblem(problems: Problems, path: string, value: unknown, allowed: string): void {
  const plain = typeof value !== 'object' || Array.isArray(value) || isValues(value);
  if (plain) {
    problems.add(`values.${path}`, value, allowed);
  } else {
    problems.addSecret(`values.${path}`, allowed);
  }
}
