import type { FailurePolicy, Labels } from '../../admission';

/** What somebody has decided about webhooks, since no manifest can say it. */
export interface HardeningDecision {
  /** Service that the webhooks call, `NAMESPACE/NAME`. @default - any, where `webhook` says which */
  readonly service?: string;
  /** Name of one webhook of a webhook configuration. @default - all that call the Service */
  readonly webhook?: string;
  /**
   * The authority's Certificate, `NAMESPACE/NAME`, that cert-manager injects the CA from: for all that call the Service,
   * conversion webhooks and APIServices too.
   *
   * @default - the authority of the server's certificate, where its issuer is among the manifests
   */
  readonly injectCaFrom?: string;
  /** Secret in the place of a Certificate, as while a key is changed. @default - none */
  readonly injectCaFromSecret?: string;
  /**
   * The Issuer that signs the server's certificate, `NAMESPACE/NAME`; it is in the namespace of the Certificate. For charts
   * that sign it by itself: no injection of such a CA is safe.
   *
   * @default - as it is
   */
  readonly issuer?: string;
  /** A ClusterIssuer in the place of an Issuer, by its name. @default - none */
  readonly clusterIssuer?: string;
  /** What becomes of a request when the webhook can't be asked. @default - as it is */
  readonly failurePolicy?: FailurePolicy;
  /** Longest timeout, 1 to 30 s: a longer one is cut, a missing one is set. @default - as it is */
  readonly timeoutSeconds?: number;
  /** Namespaces that the webhooks do not see, by name: `kube-system`, their own. @default - as it is */
  readonly leaveOut?: readonly string[];
  /** Labels that objects must have to be seen by the webhooks. @default - as it is */
  readonly optIn?: Labels;
}

/**
 * Annotation of a Service: what is decided about the webhooks that call it, as JSON without `service`. So the values of a
 * chart can say it, and it reaches a post-renderer that takes no arguments.
 *
 * @example
 * metadata:
 *   annotations:
 *     cluster-canary/harden: '{"injectCaFrom": "platform/gate-ca-g1"}'
 */
export const hardenAnnotation = 'cluster-canary/harden';
