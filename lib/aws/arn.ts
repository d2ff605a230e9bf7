/** The parts that every ARN begins with. */
export interface ArnParts {
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
export function arnParts(arn: string): ArnParts | undefined {
  const match = /^arn:(aws[a-z-]*):([a-z0-9-]+):([a-z0-9-]*):(\d{12}|):(\S+)$/.exec(arn);
  if (!match) {
    return undefined;
  }
  const [, partition = '', service = '', region = '', account = '', resource = ''] = match;
  return { partition, service, region, account, resource };
}
