import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';
import { exitWhenOrphaned, packageVersion } from './serve';

/**
 * Stands for Pulumi's EKS provider: of its components it constructs the cluster alone, with those of the real one's
 * children that the library relies on, under the same names
 * (https://github.com/pulumi/pulumi-eks/blob/master/nodejs/eks/cluster/cluster.ts). Left out: node groups, security
 * groups, Fargate, Auto Mode, storage classes, access entries, CoreDNS, a Kubernetes provider and kubeconfigs.
 */
class Cluster extends pulumi.ComponentResource {
  public readonly outputs: pulumi.Inputs;

  public constructor(name: string, args: pulumi.Inputs, opts: pulumi.ComponentResourceOptions) {
    super('eks:index:Cluster', name, args, opts);
    const parent = { parent: this };
    const role = new ServiceRole(`${name}-eksRole`, parent);
    const { encryptionConfigKeyArn, ipFamily, kubernetesServiceIpAddressRange } = args;
    const eksCluster = new aws.eks.Cluster(
      `${name}-eksCluster`,
      {
        name: args.name,
        roleArn: role.role.arn,
        version: args.version,
        vpcConfig: {
          subnetIds: args.privateSubnetIds,
          endpointPrivateAccess: args.endpointPrivateAccess,
          endpointPublicAccess: args.endpointPublicAccess,
          publicAccessCidrs: args.publicAccessCidrs,
        },
        enabledClusterLogTypes: args.enabledClusterLogTypes,
        encryptionConfig: encryptionConfigKeyArn && {
          provider: { keyArn: encryptionConfigKeyArn },
          resources: ['secrets'],
        },
        kubernetesNetworkConfig:
          ipFamily || kubernetesServiceIpAddressRange
            ? { ipFamily, serviceIpv4Cidr: kubernetesServiceIpAddressRange }
            : undefined,
        accessConfig: {
          authenticationMode: 'API',
          bootstrapClusterCreatorAdminPermissions: true,
        },
        deletionProtection: args.deletionProtection,
        tags: pulumi.output(args.tags).apply((tags) => ({ Name: `${name}-eksCluster`, ...tags })),
      },
      {
        parent: this,
        dependsOn: [role.attachment],
        ignoreChanges: ['accessConfig.bootstrapClusterCreatorAdminPermissions', 'bootstrapSelfManagedAddons'],
      },
    );
    // The real one asks EKS for the newest on every run, and EKS has a newer one each time.
    const newest = `v1.0.0-eksbuild.${Date.now()}`;
    const addons = {
      'kube-proxy': args.kubeProxyAddonOptions?.version ?? newest,
      'vpc-cni': args.vpcCniOptions?.addonVersion ?? newest,
    };
    for (const [addonName, addonVersion] of Object.entries<string>(addons)) {
      new aws.eks.Addon(
        `${name}-${addonName}`,
        {
          clusterName: eksCluster.name,
          addonName,
          addonVersion,
          preserve: true,
          resolveConflictsOnCreate: 'OVERWRITE',
          resolveConflictsOnUpdate: 'OVERWRITE',
        },
        parent,
      );
    }
    this.outputs = {
      eksCluster,
      clusterSecurityGroupId: eksCluster.vpcConfig.clusterSecurityGroupId,
      nodeSecurityGroupId: '',
      clusterIngressRuleId: '',
      autoModeNodeRoleName: '',
      oidcProviderArn: '',
      oidcProviderUrl: '',
      oidcIssuer: eksCluster.identities.apply(([identity]) => identity?.oidcs?.[0]?.issuer ?? ''),
      fargateProfileId: '',
      fargateProfileStatus: '',
    };
    this.registerOutputs(this.outputs);
  }
}

class ServiceRole extends pulumi.ComponentResource {
  public readonly role: aws.iam.Role;
  public readonly attachment: aws.iam.RolePolicyAttachment;

  public constructor(name: string, opts: pulumi.ComponentResourceOptions) {
    super('eks:index:ServiceRole', name, {}, opts);
    const assumeRolePolicy = JSON.stringify({
      Version: '2012-10-17',
      Statement: [
        { Action: ['sts:AssumeRole'], Effect: 'Allow', Principal: { Service: ['eks.amazonaws.com'] } },
      ],
    });
    this.role = new aws.iam.Role(`${name}-role`, { assumeRolePolicy }, { parent: this });
    this.attachment = new aws.iam.RolePolicyAttachment(
      `${name}-policy`,
      { role: this.role.name, policyArn: 'arn:aws:iam::aws:policy/AmazonEKSClusterPolicy' },
      { parent: this },
    );
    this.registerOutputs({});
  }
}

exitWhenOrphaned();
void pulumi.provider.main(
  {
    version: packageVersion('@pulumi/eks'),
    construct: (name, type, inputs, options) => {
      if (type !== 'eks:index:Cluster') {
        throw new Error(`the test provider for EKS does not know ${type}`);
      }
      const { urn, outputs } = new Cluster(name, inputs, options);
      return Promise.resolve({ urn, state: outputs });
    },
  },
  process.argv.slice(2),
);
