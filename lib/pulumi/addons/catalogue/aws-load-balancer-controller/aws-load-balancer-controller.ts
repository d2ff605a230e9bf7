import type * as aws from '@pulumi/aws';
import type * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';
import { App, Chart } from 'cdk8s';
import { parseClusterArn } from '../../../../core/aws/arns';
import { policyOf, policyStatement } from '../../../../core/aws/iam';
import type { PolicyDocument, PolicyStatement } from '../../../../core/aws/iam';
import { rawArgs } from '../../../../core/validation/arguments';
import { list, object, optional } from '../../../../core/validation/collections';
import { Problems } from '../../../../core/validation/problems';
import type { Problem } from '../../../../core/validation/problems';
import { flag, later, oneOf, text } from '../../../../core/validation/values';
import { CertificateAuthority } from '../../../../manifests/certificates';
import { Manifests } from '../../../bridge';
import { optionsProblems } from '../../addon';
import type { Addon, AddonCluster, AddonResources, AddonTarget, ChartRelease, HelmChart } from '../../addon';
import {
  chartOptionEntries,
  chartVersion,
  defaultHelmTimeoutSeconds,
  helmRelease,
  onlyByPulumi,
  postRendererOf,
} from '../../helm-addon';
import type { ChartOptions } from '../../helm-addon';
import { mergeValues } from '../../helm-values';
import { PodIdentityRole } from '../../pod-identity';
import { podCount } from '../catalogue';
import { certManagerName } from '../cert-manager';
import { ingressStatements, targetGroupBindingStatements } from './permissions';
import {
  controllerServiceAccount,
  loadBalancerControllerValueProblems,
  loadBalancerControllerValues,
} from './values';
import type { LoadBalancerControllerManages } from './values';

/** Options of the AWS Load Balancer Controller add-on. */
export interface AwsLoadBalancerControllerOptions extends ChartOptions {
  /**
   * Version of the chart, which is that of the controller.
   * @default '3.5.0' - the version in which values, webhooks and AWS calls were read
   */
  readonly version?: string;
  /**
   * What the controller may do in AWS: fill target groups that it is told of by TargetGroupBindings, or make load
   * balancers for Ingresses, Services and Gateways as well.
   * @default 'targetGroupBindings' - a fleet's load balancer and target groups belong to the program
   */
  readonly manages?: LoadBalancerControllerManages;
  /**
   * ARNs of further target groups that the controller fills, beside the slot's.
   * @default - the slot's alone; where the slot does not know them, all of the account and region
   */
  readonly targetGroupArns?: readonly pulumi.Input<string>[];
  /**
   * Whether the controller may write rules of security groups that carry the cluster's tag, for TargetGroupBindings
   * with `spec.networking`.
   * @default false - a fleet's security group rules belong to the program
   */
  readonly managesSecurityGroups?: boolean;
  /**
   * Further statements of the role's policy, say `sts:AssumeRole` for target groups of another account.
   * @default - none
   */
  readonly policyStatements?: readonly PolicyStatement[];
  /** Arguments of the IAM role laid over ours. @default - none */
  readonly roleArgs?: Partial<aws.iam.RoleArgs>;
  /**
   * Pods of the controller, 1 to 10: one works, all serve webhooks.
   * @default 2
   */
  readonly replicas?: number;
}

const awsLoadBalancerControllerOptions = object<AwsLoadBalancerControllerOptions>({
  ...chartOptionEntries,
  version: optional(chartVersion),
  manages: optional(oneOf('targetGroupBindings', 'ingresses')),
  targetGroupArns: optional(list(later(text('the ARN of a target group')))),
  managesSecurityGroups: optional(flag),
  policyStatements: optional(list(policyStatement)),
  roleArgs: optional(rawArgs),
  replicas: optional(podCount),
});

/** Version of the chart where nothing else is said. */
const controllerVersion = '3.5.0';

/** What does not go together in the options. */
function conflicts(options: Partial<AwsLoadBalancerControllerOptions>): readonly Problem[] {
  const problems = new Problems('AWS Load Balancer Controller');
  problems.addAll(onlyByPulumi(options));
  if (options.manages === 'ingresses') {
    const reason =
      "left out with manages: 'ingresses', whose policy covers every target group and security group";
    if (options.targetGroupArns !== undefined) {
      problems.addSecret('targetGroupArns', reason);
    }
    if (options.managesSecurityGroups !== undefined) {
      problems.add('managesSecurityGroups', options.managesSecurityGroups, reason);
    }
  }
  problems.addAll(loadBalancerControllerValueProblems(options.values ?? {}));
  return problems.all;
}

/** What the AWS Load Balancer Controller add-on has registered. */
export interface AwsLoadBalancerControllerResources extends AddonResources {
  /** The controller's IAM role, its policy and its Pod Identity association. */
  readonly identity: PodIdentityRole;
  /** The certificate authority of the controller's webhooks. */
  readonly certificates: Manifests;
  /** The Helm release. */
  readonly release: k8s.helm.v3.Release;
}

/** Name of the add-on, for `requires`. */
export const awsLoadBalancerControllerName = 'aws-load-balancer-controller';

const namespace = 'kube-system';

/**
 * The AWS Load Balancer Controller from its official chart, set up so that its webhooks never refuse an object that
 * does not need them. It requires cert-manager, and does not go with Auto Mode, which has such a controller of its own.
 *
 * Webhooks: those for pods see only what opts in by the chart's labels; those for Services and for Ingresses, which
 * would see every one of the cluster, are off; the others see the controller's own kinds alone. Values that would
 * widen them are refused.
 *
 * Certificates: cert-manager signs the webhooks' certificate with a certificate authority of the add-on's own whose
 * key stays the same. The chart has the trust anchor injected from the certificate's Secret; the post-renderer
 * `cluster-canary harden`, which Helm runs, has it injected from the authority's Certificate in its place. So what the
 * API servers trust does not change with the certificate, and a renewal of the authority keeps key and name: both
 * anchors verify both certificates, and each certificate is renewed long before the older anchor ends. Where the
 * post-renderer is turned off, the anchor in the certificate's Secret is the same authority's, so renewals are safe
 * too, and a change of the issuer is not. What it does not cover is the first moments of an installation: the anchor is
 * injected seconds after the certificate is made, while the pods take longer to be ready.
 *
 * Rights in AWS: an IAM role by EKS Pod Identity for the controller's service account on this cluster alone.
 *
 * Chart: https://github.com/kubernetes-sigs/aws-load-balancer-controller/tree/v3.5.0/helm/aws-load-balancer-controller,
 * from the repository that its README names.
 */
export function awsLoadBalancerController(
  options: AwsLoadBalancerControllerOptions = {},
): Addon<AwsLoadBalancerControllerResources, typeof awsLoadBalancerControllerName> {
  return {
    name: awsLoadBalancerControllerName,
    requires: [certManagerName],
    problems: optionsProblems(
      'awsLoadBalancerController',
      awsLoadBalancerControllerOptions,
      options,
      conflicts,
    ),
    refuses: ({ autoMode }) =>
      autoMode
        ? 'left out on an Auto Mode cluster, where EKS itself binds target groups (TargetGroupBinding of eks.amazonaws.com/v1)'
        : undefined,
    deliveredBy: options.deliveredBy,
    state: options.state,
    chart: chartOf(options),
    install: (target) => install(options, target),
    prepare: (target) => {
      const { identity, certificates } = prepare(options, target);
      return { resources: [...identity.associations, ...certificates.resources] };
    },
    release: (cluster) => releaseOf(options, cluster),
  };
}

/** What stays with Pulumi whoever delivers the chart: the role, and the authority that signs the certificate. */
function prepare(
  options: AwsLoadBalancerControllerOptions,
  target: AddonTarget,
): Pick<AwsLoadBalancerControllerResources, 'identity' | 'certificates'> {
  const name = `${target.name}-${awsLoadBalancerControllerName}`;
  // It waits for nothing: an association takes some seconds to have an effect, and only pods made later get the role.
  // https://docs.aws.amazon.com/eks/latest/APIReference/API_CreatePodIdentityAssociation.html
  const identity = new PodIdentityRole(
    name,
    {
      clusterName: target.clusterName,
      clusterArn: target.clusterArn,
      serviceAccounts: [{ namespace, name: controllerServiceAccount }],
      policy: controllerPolicy(options, target),
      roleArgs: options.roleArgs,
    },
    { parent: target.parent },
  );
  const certificates = new Manifests(
    `${name}-certificates`,
    { chart: authorityChart().chart, deletedWith: target.cluster },
    { parent: target.parent, provider: target.kubernetes, dependsOn: [...target.dependsOn] },
  );
  return { identity, certificates };
}

function authorityChart(): { chart: Chart; authority: CertificateAuthority } {
  const chart = new Chart(new App(), awsLoadBalancerControllerName, { namespace });
  const authority = new CertificateAuthority(chart, 'webhook-ca', {
    name: 'aws-load-balancer-webhook-ca',
    namespace,
  });
  return { chart, authority };
}

function chartOf({ version = controllerVersion }: AwsLoadBalancerControllerOptions): HelmChart {
  return { chart: 'aws-load-balancer-controller', repository: 'https://aws.github.io/eks-charts', version };
}

function releaseOf(options: AwsLoadBalancerControllerOptions, cluster: AddonCluster): ChartRelease {
  const { authority } = authorityChart();
  const ours = loadBalancerControllerValues({
    clusterName: cluster.clusterName,
    region: cluster.region,
    vpcId: cluster.vpcId,
    issuerRef: authority.issuerRef,
    decision: { injectCaFrom: `${namespace}/${authority.certificate.name}`, timeoutSeconds: 5 },
    replicas: options.replicas ?? 2,
    manages: options.manages ?? 'targetGroupBindings',
  });
  return {
    chart: chartOf(options),
    releaseName: awsLoadBalancerControllerName,
    namespace,
    createNamespace: false,
    values: mergeValues(ours, options.values ?? {}),
  };
}

function install(
  options: AwsLoadBalancerControllerOptions,
  target: AddonTarget,
): AwsLoadBalancerControllerResources {
  const { identity, certificates } = prepare(options, target);
  const release = helmRelease(
    `${target.name}-${awsLoadBalancerControllerName}`,
    {
      ...releaseOf(options, target),
      timeoutSeconds: options.timeoutSeconds ?? defaultHelmTimeoutSeconds,
      postRenderer: postRendererOf(options.harden ?? true),
      stays: options.state !== 'absent',
      releaseArgs: options.releaseArgs,
    },
    {
      ...target,
      dependsOn: [...target.dependsOn, ...identity.associations, ...certificates.resources],
    },
  );
  return { identity, certificates, release, resources: [release] };
}

function controllerPolicy(
  options: AwsLoadBalancerControllerOptions,
  target: AddonTarget,
): pulumi.Output<PolicyDocument> {
  const known = options.targetGroupArns ?? target.targetGroupArns;
  const targetGroupArns =
    known === undefined
      ? undefined
      : pulumi.all([...(target.targetGroupArns ?? []), ...(options.targetGroupArns ?? [])]);
  return pulumi.all([target.clusterArn, targetGroupArns]).apply(([arn, arns]) => {
    const cluster = parseClusterArn(arn);
    return policyOf([
      ...(options.manages === 'ingresses'
        ? ingressStatements(cluster.partition)
        : targetGroupBindingStatements({
            cluster,
            targetGroupArns: arns,
            managesSecurityGroups: options.managesSecurityGroups ?? false,
          })),
      ...(options.policyStatements ?? []),
    ]);
  });
}
