import * as aws from '@pulumi/aws';
import * as pulumi from '@pulumi/pulumi';

/**
 * Region in which a component's AWS resources are made: that of the provider that was handed down to it, else the
 * program's `aws:region`. `undefined` leaves it to the environment, as the provider does.
 */
export function awsRegion(component: pulumi.Resource): pulumi.Input<string | undefined> {
  const provider = component.getProvider('aws:eks/cluster:Cluster');
  return aws.Provider.isInstance(provider) ? provider.region : new pulumi.Config('aws').get('region');
}
