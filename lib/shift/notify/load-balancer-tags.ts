import { awsAccess } from '../../core/aws/access-schema';
import { parseArn } from '../../core/aws/arns';
import { loadBalancerArn } from '../../core/aws/identifiers';
import { object, optional } from '../../core/validation/collections';
import { fits, text } from '../../core/validation/values';
import type { Weights } from '../engine';
import { deliverToAws } from './aws-delivery';
import type { FleetEvent } from './event';
import { sinkEntries, sinkKind } from './sink';
import type { CommonSinkSettings } from './sink';

/** A tag of a load balancer. */
export interface LoadBalancerTagsSettings extends CommonSinkSettings {
  /** ARN of the Application or Network Load Balancer. */
  readonly loadBalancerArn: string;
  /**
   * What the key of the tag begins with; the name of the route follows.
   *
   * @default 'cluster-canary-shift/' - a program can leave tags with this prefix alone, and no other tag of the library has it
   */
  readonly keyPrefix?: string;
  /** ARN of an IAM role that tags. @default - the credentials that the plan runs with */
  readonly roleArn?: string;
}

/**
 * One tag for each route, which says how far its shift is: `step 2 of 7 blue=98 green=2 2031-05-06T07:08:09Z`.
 *
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/application/load-balancer-tags.html
 * @see https://docs.aws.amazon.com/elasticloadbalancing/latest/APIReference/API_AddTags.html
 */
export const loadBalancerTags = sinkKind<LoadBalancerTagsSettings>({
  tells: 'Elastic Load Balancing: a tag of the load balancer for each route, with the state of its shift',
  events: ['started', 'stepWritten', 'paused', 'resumed', 'rollingBack', 'ended'],
  settings: object<LoadBalancerTagsSettings>({
    loadBalancerArn: fits(loadBalancerArn, {
      pattern:
        '^arn:aws[a-z-]*:elasticloadbalancing:[a-z0-9-]+:\\d{12}:loadbalancer/(app|net)(/[^/\\s]+){2}$',
    }),
    keyPrefix: optional(
      text(
        'at most 60 letters, digits, or ".", "_", ":", "/", "=", "+", "-", "@", and not aws:',
        /^(?![aA][wW][sS]:)[A-Za-z0-9_.:/=+@-]{1,60}$/,
      ),
    ),
    roleArn: awsAccess.roleArn,
    ...sinkEntries,
  }),
  open: ({ loadBalancerArn: arn, keyPrefix = 'cluster-canary-shift/', roleArn }, context) => {
    const { region } = parseArn(arn)!;
    const clients = context.aws({ region, ...(roleArn !== undefined && { roleArn }) });
    return {
      name: `loadBalancerTags ${arn}`,
      deliver: async (event, signal) => {
        const call = { action: 'elasticloadbalancing:AddTags', subject: `load balancer ${arn}`, region };
        await deliverToAws(call, signal, async () => {
          const client = await clients.elasticLoadBalancing();
          return client.addTags(
            { ResourceArns: [arn], Tags: [stateTag(keyPrefix, event)] },
            { abortSignal: signal },
          );
        });
      },
    };
  },
  permissions: ({ loadBalancerArn: arn, roleArn }) => ({
    roleArn,
    statements: [
      { Sid: 'TagLoadBalancer', Effect: 'Allow', Action: ['elasticloadbalancing:AddTags'], Resource: arn },
    ],
  }),
});

/** The guide has these, one less than the API. */
const longestKey = 127;
const longestValue = 255;

/** The tag of an event. Whatever AWS does not take in a tag is `_`. */
export function stateTag(
  keyPrefix: string,
  event: FleetEvent,
): { readonly Key: string; readonly Value: string } {
  const weights = event.weights === null ? '' : weightsText(event.weights);
  const at = event.at.replace(/\.\d+Z$/, 'Z');
  return {
    Key: cleaned(`${keyPrefix}${event.route}`, longestKey),
    Value: cleaned([stateOf(event), weights, at].filter((part) => part !== '').join(' '), longestValue),
  };
}

function cleaned(given: string, most: number): string {
  return given
    .replace(/[^\p{L}\p{Z}\p{N}_.:/=+\-@]/gu, '_')
    .replace(/[\p{Zl}\p{Zp}]/gu, '_')
    .slice(0, most)
    .replace(/[\uD800-\uDBFF]$/, '')
    .trim();
}

function weightsText(weights: Weights): string {
  return Object.entries(weights)
    .map(([slot, weight]) => `${slot}=${weight}`)
    .join(' ');
}

const verdicts = {
  completed: 'completed',
  rolledBack: 'rolled back',
  held: 'held',
  aborted: 'aborted',
} as const;

function stateOf(event: FleetEvent): string {
  switch (event.type) {
    case 'started':
      return `started ${event.steps} steps`;
    case 'stepWritten':
      return event.rollback === true ? 'rolled back' : `step ${event.step} of ${event.steps}`;
    case 'checkAnswered':
      return `check ${event.check.name} ${event.check.status}`;
    case 'waiting':
      return 'waits for checks';
    case 'paused':
      return `paused at ${event.place} percent`;
    case 'resumed':
      return `continues beyond ${event.place} percent`;
    case 'rollingBack':
      return 'rolls back';
    case 'ended':
      return verdicts[event.verdict];
  }
}
