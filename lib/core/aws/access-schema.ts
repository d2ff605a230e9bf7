import { optional } from '../validation/collections';
import type { Entries } from '../validation/schema';
import { text } from '../validation/values';
import { awsRegion, iamRoleArn } from './arns';
import type { AwsAccess } from './arns';

/** The keys of {@link AwsAccess}, for the schema of settings that have them. */
export const awsAccess: Entries<AwsAccess> = {
  region: optional(text(awsRegion.allowed, awsRegion.form)),
  roleArn: optional(text(iamRoleArn.allowed, iamRoleArn.form)),
};
