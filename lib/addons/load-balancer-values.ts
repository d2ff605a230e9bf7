import type { HardeningDecision } from '../rules';
import { hardenAnnotation } from '../rules';
import type { HelmValues } from './helm-values';

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
