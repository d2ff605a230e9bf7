export { awsAccessProblems, awsRegion, iamRoleArn } from './access';
export type { AwsAccess } from './access';
export { arnParts } from './arn';
export type { ArnParts } from './arn';
export { AwsError, askAws, missingCredentials, present } from './aws-error';
export type { AwsCall } from './aws-error';
export { roleCredentials, awsClientsOptionsKeys } from './client-settings';
export type { AwsClientsOptions } from './client-settings';
export { awsClients } from './clients';
export type { AwsClients } from './clients';
export { everyPage } from './every-page';
export type { Page } from './every-page';
export { awsFailure } from './failure';
export type { AwsFailure } from './failure';
export {
  applicationListenerArn,
  applicationLoadBalancerArn,
  certificateArn,
  hostedZoneId,
  iamPolicyArn,
  kmsKeyArn,
  listenerArn,
  loadBalancerArn,
  principalArn,
  securityGroupId,
  subnetId,
  targetGroupArn,
  vpcEndpointId,
  vpcId,
  webAclArn,
} from './identifiers';
export { limitedAnswer } from './limited-answer';
export { awsPartitions, partitionOf } from './partitions';
export type { AwsPartition } from './partitions';
export { beforeEachRequest, sentOnce } from './sending';
export type { AwsCommand } from './sending';
export type { RightsStatement } from './policy-statement';
export { withList } from './with-list';
export { checkTags } from './tags';
