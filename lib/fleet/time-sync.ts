import {
  amazonTimeSync,
  bottlerocketTimeSettings,
  chronyScript,
  scriptsAsUserData,
  timeServers,
} from '../nodes';
import type { Problem } from '../problems';
import { Problems } from '../problems';
import { amiType } from './ami-type';

/** Whether an EKS AMI type is Bottlerocket. */
export function isBottlerocket(amiType: string): boolean {
  return amiType.startsWith('BOTTLEROCKET');
}

/** The arguments of a node group that time servers go together with. */
export interface TimeServersArgs {
  readonly instanceTypes: readonly string[];
  readonly amiType?: string;
  readonly timeServers?: readonly string[];
  readonly launchTemplateArgs?: object;
}

/** What is wrong with the time servers of a node group. */
export function timeServersProblems(nodes: TimeServersArgs): readonly Problem[] {
  const problems = new Problems('nodes');
  const { timeServers: servers, launchTemplateArgs = {}, instanceTypes } = nodes;
  if (servers !== undefined && problems.check('timeServers', servers, timeServers)) {
    const type = nodes.amiType ?? amiType(instanceTypes);
    if (!isBottlerocket(type) && !type.startsWith('AL2023')) {
      problems.add(
        'timeServers',
        servers,
        `left out with the AMI type ${type}, which takes no user data of ours`,
      );
    }
    if ('userData' in launchTemplateArgs) {
      problems.add(
        'timeServers',
        servers,
        'left out where launchTemplateArgs has userData, which replaces it',
      );
    }
  }
  return problems.all;
}

/**
 * User data that keeps the clocks of nodes in time, in base64; EKS adds its own to it. Undefined where the image does what
 * is wanted: Amazon Linux asks Amazon Time Sync without being told.
 *
 * @param servers default: Amazon Time Sync
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/configure-ec2-ntp.html
 * @see https://docs.aws.amazon.com/eks/latest/userguide/launch-templates.html
 */
export function timeUserData(amiType: string, servers?: readonly string[]): string | undefined {
  if (isBottlerocket(amiType)) {
    return base64(bottlerocketTimeSettings(servers ?? amazonTimeSync));
  }
  return servers === undefined ? undefined : base64(scriptsAsUserData(chronyScript(servers)));
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
