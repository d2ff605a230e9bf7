import * as aws from '@pulumi/aws';
import * as eks from '@pulumi/eks';
import * as k8s from '@pulumi/kubernetes';
import * as pulumi from '@pulumi/pulumi';

/** A whole shop in small: everything that a preview has to cope with in a healthy program. */
const config = new pulumi.Config();

class Slot extends pulumi.ComponentResource {
  public readonly targetGroup: aws.lb.TargetGroup;
  public readonly kubernetes: k8s.Provider;

  public constructor(name: string, cluster: eks.Cluster, vpcId: pulumi.Input<string>) {
    super('shop:index:Slot', name, { note: 'of a slot' });
    this.targetGroup = new aws.lb.TargetGroup(
      name,
      { protocol: 'HTTP', port: 9898, targetType: 'ip', vpcId },
      { parent: this },
    );
    this.kubernetes = new k8s.Provider(
      name,
      { kubeconfig: cluster.kubeconfigJson, clusterIdentifier: cluster.eksCluster.arn },
      { parent: this },
    );
    new k8s.core.v1.Secret(
      `${name}-token`,
      {
        metadata: { name: 'token', namespace: 'shop' },
        stringData: { token: config.requireSecret('token'), plain: 'written-in-the-open' },
      },
      { parent: this, provider: this.kubernetes, deletedWith: cluster },
    );
    new k8s.apps.v1.Deployment(
      `${name}-frontend`,
      {
        metadata: { name: 'frontend', namespace: 'shop' },
        spec: {
          replicas: config.requireNumber('replicas'),
          selector: { matchLabels: { app: 'frontend' } },
          template: {
            metadata: { labels: { app: 'frontend' } },
            spec: {
              containers: [
                {
                  name: 'frontend',
                  image: 'ghcr.io/stefanprodan/podinfo',
                  env: [{ name: 'ENDPOINT', value: pulumi.interpolate`${cluster.eksCluster.endpoint}/x` }],
                },
              ],
            },
          },
        },
      },
      { parent: this, provider: this.kubernetes, deletedWith: cluster },
    );
    new k8s.helm.v3.Release(
      `${name}-podinfo`,
      {
        name: 'podinfo',
        chart: 'podinfo',
        version: '6.9.0',
        namespace: 'shop',
        repositoryOpts: { repo: 'https://stefanprodan.github.io/podinfo' },
        values: { password: config.requireSecret('token'), slot: name },
      },
      { parent: this, provider: this.kubernetes },
    );
    this.registerOutputs({});
  }
}

const region = aws.getRegionOutput().region;
const partition = aws.getPartitionOutput().partition;
const vpc = aws.ec2.getVpcOutput({ default: true });
const network = new pulumi.StackReference('acme/network/production');

const clusters = ['blue', 'green'].map(
  (name) => new eks.Cluster(name, { name: `shop-${name}`, version: '1.34', authenticationMode: 'API' }),
);
const [blue, green] = clusters.map((cluster, index) => new Slot(['blue', 'green'][index]!, cluster, vpc.id));

new eks.ManagedNodeGroup('blue-nodes', {
  cluster: clusters[0]!,
  nodeRoleArn: network.requireOutput('nodeRoleArn'),
  scalingConfig: { minSize: 2, maxSize: 6, desiredSize: 2 },
  instanceTypes: ['m7i.large'],
});
new aws.eks.PodIdentityAssociation('blue-pods', {
  clusterName: clusters[0]!.eksCluster.name,
  namespace: 'shop',
  serviceAccount: 'frontend',
  roleArn: network.getOutput('podRoleArn') as pulumi.Output<string>,
});
new aws.vpc.SecurityGroupIngressRule('blue-in', {
  securityGroupId: clusters[0]!.eksCluster.vpcConfig.clusterSecurityGroupId,
  ipProtocol: 'tcp',
  fromPort: 443,
  toPort: 443,
  description: clusters[0]!.eksCluster.apply((cluster) => cluster.certificateAuthority.data),
});

const guard = new pulumi.ResourceHook('guard', () => {
  throw new Error('a hook must not run in a preview');
});
const rule = new aws.lb.ListenerRule(
  'web',
  {
    listenerArn: aws.lb.Listener.get('edge', 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/x')
      .arn,
    priority: 20,
    conditions: [{ hostHeader: { values: ['www.example.com'] } }],
    actions: [
      {
        type: 'forward',
        forward: {
          targetGroups: [
            { arn: blue!.targetGroup.arn, weight: 90 },
            { arn: green!.targetGroup.arn, weight: 10 },
          ],
        },
      },
    ],
    tags: { limit: config.requireSecretObject<{ cpu: number; key: string }>('limits').key },
  },
  {
    hooks: { beforeUpdate: [guard] },
    protect: true,
    transforms: [({ props, opts }) => ({ props: { ...props, priority: 10 }, opts })],
  },
);

console.log('the program talks on stdout');
void pulumi.log.info('the program logs');

export const dryRun = pulumi.runtime.isDryRun();
export const where = pulumi.interpolate`${partition}/${region}`;
export const ruleArn = rule.arn;
export const token = config.requireSecret('token').apply((value) => `prefix ${value}`);
export const clusterName = clusters[0]!.eksCluster.name;
export const given = pulumi.secret('a-secret-given-in-the-program');
export const stack = `${pulumi.getOrganization()}/${pulumi.getProject()}/${pulumi.getStack()}`;
