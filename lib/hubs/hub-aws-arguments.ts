import type * as pulumi from '@pulumi/pulumi';
import type { AwsSettings } from '../bridge';

/** What all AWS resources of a hub get. */
export interface HubAwsArgs {
  /**
   * AWS tags of everything that can be tagged: roles, Pod Identity associations, access entries, security group rules.
   * @default - the hub's name as `cluster-canary/hub`, which is there in any case
   */
  readonly tags?: Readonly<Record<string, string>>;
  /**
   * ARN of the permissions boundary of every IAM role. A role's own (`roleArgs`) comes before it.
   * @default - none
   * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/access_policies_boundaries.html
   */
  readonly permissionsBoundaryArn?: pulumi.Input<string>;
}

/** The settings of a hub's resources. */
export function hubSettings(name: string, { tags, permissionsBoundaryArn }: HubAwsArgs): AwsSettings {
  return { tags: { 'cluster-canary/hub': name, ...tags }, permissionsBoundaryArn };
}
