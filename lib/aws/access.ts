import type { Problem, Rule, OptionsOf } from '../problems';
import { Problems } from '../problems';

/** Where and as whom AWS is asked. The same words stand in a Pulumi program and in a plan file. */
export interface AwsAccess {
  /** `eu-west-1` @default - that of the ARN it is about, else of the environment or the profile */
  readonly region?: string;
  /**
   * ARN of an IAM role that the calls are made with. Its credentials are fetched again before they expire, so a shift
   * may last longer than they do.
   *
   * @default - the environment's, profile's, pod's or machine's own credentials
   */
  readonly roleArn?: string;
}

export const awsAccessKeys: OptionsOf<AwsAccess> = { region: 'plain', roleArn: 'plain' };

/**
 * Name of an AWS region as it stands in host names. Which regions there are is not checked: new ones come.
 * @see https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html
 */
export const awsRegion: Rule = {
  allowed: 'the name of an AWS region, such as "eu-west-1"',
  accepts: (value) => typeof value === 'string' && /^[a-z]{2,4}(-[a-z]+)+-\d{1,2}$/.test(value),
};

/** ARN of an IAM role. */
export const iamRoleArn: Rule = {
  allowed: 'the ARN of an IAM role: arn:aws:iam::ACCOUNT:role/NAME',
  accepts: (value) =>
    typeof value === 'string' && /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/.test(value),
};

/** What is wrong with a region and a role that a user gave; both may be left out. */
export function awsAccessProblems({
  region,
  roleArn,
}: {
  region?: unknown;
  roleArn?: unknown;
}): readonly Problem[] {
  const problems = new Problems('AWS access');
  if (region !== undefined) {
    problems.check('region', region, awsRegion);
  }
  if (roleArn !== undefined) {
    problems.check('roleArn', roleArn, iamRoleArn);
  }
  return problems.all;
}
