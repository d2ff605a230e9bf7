import type * as pulumi from '@pulumi/pulumi';
import { checkTags, iamPolicyArn, iamRoleArn } from '../aws';
import type { AwsSettings } from '../bridge';
import { checkInput } from '../bridge';
import type { ClusterCredentials } from '../fleet';
import type { Problem } from '../problems';
import { Problems } from '../problems';

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

/** What is wrong with them, and with the role by which the program asks the clusters. */
export function hubAwsProblems(
  args: HubAwsArgs & { readonly credentials?: ClusterCredentials },
): readonly Problem[] {
  const problems = new Problems('hub');
  checkTags(problems, 'tags', args.tags);
  checkInput(problems, 'permissionsBoundaryArn', args.permissionsBoundaryArn, iamPolicyArn);
  checkInput(problems, 'credentials.roleArn', args.credentials?.roleArn, iamRoleArn);
  return problems.all;
}

/** The settings of a hub's resources. */
export function hubSettings(name: string, { tags, permissionsBoundaryArn }: HubAwsArgs): AwsSettings {
  return { tags: { 'cluster-canary/hub': name, ...tags }, permissionsBoundaryArn };
}
