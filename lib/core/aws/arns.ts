import type { Format } from '../validation/problems';

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

/**
 * Name of an AWS region as it stands in host names. Which regions there are is not checked: new ones come.
 * @see https://docs.aws.amazon.com/global-infrastructure/latest/regions/aws-regions.html
 */
export const awsRegion: Format & { readonly form: RegExp } = {
  allowed: 'the name of an AWS region, such as "eu-west-1"',
  form: /^[a-z]{2,4}(-[a-z]+)+-\d{1,2}$/,
  accepts: (value) => typeof value === 'string' && awsRegion.form.test(value),
};

/** ARN of an IAM role. */
export const iamRoleArn: Format & { readonly form: RegExp } = {
  allowed: 'the ARN of an IAM role: arn:aws:iam::ACCOUNT:role/NAME',
  form: /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]+$/,
  accepts: (value) => typeof value === 'string' && iamRoleArn.form.test(value),
};

/** The parts that every ARN begins with. */
export interface ParsedArn {
  /** `aws`, `aws-cn`, `aws-us-gov`, … */
  readonly partition: string;
  readonly service: string;
  /** Empty for what belongs to no region. */
  readonly region: string;
  /** Account, 12 digits; empty for what belongs to none. */
  readonly account: string;
  /** All that follows: `listener/app/edge/50dc6c495c0c9188/f2f7dc8efc522ab2`. */
  readonly resource: string;
}

/**
 * The parts of an ARN.
 *
 * @returns undefined for any other text
 * @see https://docs.aws.amazon.com/IAM/latest/UserGuide/reference-arns.html
 */
export function parseArn(arn: string): ParsedArn | undefined {
  const match = /^arn:(aws[a-z-]*):([a-z0-9-]+):([a-z0-9-]*):(\d{12}|):(\S+)$/.exec(arn);
  if (!match) {
    return undefined;
  }
  const [, partition = '', service = '', region = '', account = '', resource = ''] = match;
  return { partition, service, region, account, resource };
}

/** What the ARN of an EKS cluster says. */
export interface ClusterArn {
  /** `aws`, `aws-cn`, `aws-us-gov`, … */
  readonly partition: string;
  /** AWS region: `eu-west-1`. */
  readonly region: string;
  /** Account, 12 digits. */
  readonly account: string;
  /** Name of the EKS cluster. */
  readonly clusterName: string;
}

/**
 * The parts of an EKS cluster's ARN. Its partition, region and account are those of everything that the cluster
 * works with, so nothing has to be asked for.
 *
 * @throws Error if it is no such ARN
 */
export function parseClusterArn(arn: string): ClusterArn {
  const match = /^arn:([^:]+):eks:([^:]+):(\d{12}):cluster\/([^/]+)$/.exec(arn);
  if (!match) {
    throw new Error(`"${arn}" must be the ARN of an EKS cluster: arn:aws:eks:REGION:ACCOUNT:cluster/NAME`);
  }
  const [, partition, region, account, clusterName] = match as unknown as [
    string,
    string,
    string,
    string,
    string,
  ];
  return { partition, region, account, clusterName };
}
