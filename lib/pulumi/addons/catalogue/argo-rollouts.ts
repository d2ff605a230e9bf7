import type { PolicyStatement } from '../../../core/aws/iam';
import { list, object, optional } from '../../../core/validation/collections';
import { flag, oneOf } from '../../../core/validation/values';
import type { AddonCluster } from '../addon';
import type { HelmAddon } from '../helm-addon';
import type { HelmValues } from '../helm-values';
import {
  argoController,
  argoRepository,
  budgetOf,
  catalogueAddon,
  catalogueEntries,
  criticalPriority,
  podCount,
} from './catalogue';
import type { CatalogueOptions } from './catalogue';

/** Whose objects Argo Rollouts changes to route traffic, by the names of the chart. Ingresses it may always change. */
export type RolloutsRouter = (typeof rolloutsRouters)[number];

/** All routers of the chart but for AWS App Mesh, which ended on 2026-09-30. */
const rolloutsRouters = [
  'istio',
  'smi',
  'ambassador',
  'traefik',
  'apisix',
  'contour',
  'glooPlatform',
  'gatewayAPI',
] as const;

/** Options of the Argo Rollouts add-on. */
export interface ArgoRolloutsOptions extends CatalogueOptions {
  /**
   * Version of the chart.
   * @default '2.41.0' - Argo Rollouts 1.9.0, in which the values were read
   */
  readonly version?: string;
  /** Pods of the controller, 1 to 10; one is active. @default 2 */
  readonly replicas?: number;
  /**
   * Whose objects it may change beside Ingresses.
   * @default - nobody's: the chart would give rights on the objects of ten products
   */
  readonly routers?: readonly RolloutsRouter[];
  /**
   * Whether it asks AWS, before a step, if the pods of an Ingress's target groups are registered: it then gets an IAM role
   * that may describe load balancers.
   * @default false
   * @see https://argo-rollouts.readthedocs.io/en/stable/features/traffic-management/alb/#aws-targetgroup-verification
   */
  readonly verifiesTargetGroups?: boolean;
}

const argoRolloutsOptions = object<ArgoRolloutsOptions>({
  ...catalogueEntries,
  replicas: optional(podCount),
  routers: optional(list(oneOf(...rolloutsRouters))),
  verifiesTargetGroups: optional(flag),
});

/** Name of the add-on, for `requires`. */
export const argoRolloutsName = 'argo-rollouts';

const version = '2.41.0';

/**
 * Rights to verify target groups. None of these calls can be limited to a resource.
 * @see https://github.com/argoproj/argo-rollouts/blob/v1.9.0/docs/features/traffic-management/alb.md
 */
const targetGroupVerification: readonly PolicyStatement[] = [
  {
    Sid: 'VerifyTargetGroups',
    Effect: 'Allow',
    Action: [
      'elasticloadbalancing:DescribeTargetGroups',
      'elasticloadbalancing:DescribeLoadBalancers',
      'elasticloadbalancing:DescribeListeners',
      'elasticloadbalancing:DescribeRules',
      'elasticloadbalancing:DescribeTags',
      'elasticloadbalancing:DescribeTargetHealth',
    ],
    Resource: '*',
  },
];

/**
 * Argo Rollouts from its official chart, in the namespace `argo-rollouts`: two controllers with a disruption budget, metrics,
 * and definitions that stay when the release goes. It has no webhooks. Of every namespace it reads Secrets, which its
 * analyses refer to; the chart has no value that limits that.
 *
 * Value names: https://github.com/argoproj/argo-helm/blob/argo-rollouts-2.41.0/charts/argo-rollouts/values.yaml.
 */
export function argoRollouts(options: ArgoRolloutsOptions = {}): HelmAddon<typeof argoRolloutsName> {
  return catalogueAddon('argoRollouts', argoRolloutsOptions, options, (given) => ({
    name: argoRolloutsName,
    chart: 'argo-rollouts',
    repository: argoRepository,
    version: given.version ?? version,
    namespace: 'argo-rollouts',
    // The controller's pods meet it by the chart's defaults.
    podSecurity: 'restricted',
    values: (cluster) => argoRolloutsValues(given, cluster),
    replicated: [argoController],
    ...(given.verifiesTargetGroups
      ? { identity: { serviceAccounts: [argoRolloutsName], statements: targetGroupVerification } }
      : {}),
  }));
}

/** What is set of the chart's values. */
function argoRolloutsValues(
  { replicas = 2, routers = [], verifiesTargetGroups = false }: ArgoRolloutsOptions,
  cluster?: AddonCluster,
): HelmValues {
  const allowed = Object.fromEntries(rolloutsRouters.map((each) => [each, routers.includes(each)]));
  return {
    installCRDs: true,
    keepCRDs: true,
    controller: {
      replicas,
      pdb: budgetOf(replicas),
      priorityClassName: criticalPriority,
      metrics: { enabled: true },
      ...(verifiesTargetGroups
        ? {
            awsVerifyTargetGroup: true,
            // Without it nothing is verified, and promotions fail.
            extraArgs: ['--aws-region', cluster?.region],
          }
        : {}),
    },
    providerRBAC: {
      enabled: true,
      providers: { ...allowed, awsLoadBalancerController: verifiesTargetGroups, awsAppMesh: false },
    },
  };
}
