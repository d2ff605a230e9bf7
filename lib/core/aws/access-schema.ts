import { optional } from '../validation/collections';
import type { Entries } from '../validation/schema';
import { text } from '../validation/values';
import { awsRegion, iamRoleArn } from './arns';
import type { AwsAccess } from './arns';

/** Name of an AWS region. */
export const regionName = text(awsRegion.allowed, awsRegion.form);

/** The keys of {@link AwsAccess}, for the schema of settings that have them. */
export const awsAccess: Entries<AwsAccess> = {
  region: optional(regionName),
  roleArn: optional(text(iamRoleArn.allowed, iamRoleArn.form)),
};
