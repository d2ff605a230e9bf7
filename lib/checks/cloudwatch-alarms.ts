import type { Problem } from '../problems';
import { Problems } from '../problems';
import type { Check, CheckStatus } from '../shift';
import { judgeAlarms } from './alarm-findings';
import { mayDescribeAlarms } from './aws-health';
import { checkArguments, listOf, text } from './argument-rules';
import type { CheckKind, NamedCheck } from './check-kind';

/** What `checks.cloudWatch.alarms` takes. */
export interface CloudWatchAlarmsArgs extends NamedCheck {
  /** Names of metric and composite alarms, in the region of the load balancer. */
  readonly names: readonly string[];
}

const statuses: Readonly<Record<string, CheckStatus>> = { OK: 'pass', ALARM: 'fail' };

/**
 * CloudWatch alarms, before and after every step: one in `ALARM` fails; one with `INSUFFICIENT_DATA`, and one that is not
 * there, is inconclusive. Whether an alarm's actions are enabled does not matter.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 */
export const cloudWatchAlarms: CheckKind<CloudWatchAlarmsArgs> = {
  problems: (args: Readonly<Record<string, unknown>>): readonly Problem[] => {
    const problems = new Problems('cloudWatch.alarms');
    checkArguments(problems, args, { names: listOf(text) }, ['names']);
    return problems.all;
  },
  create: (name, { names }, { alarms: source }): Check => ({
    name,
    stages: ['before', 'after'],
    evaluate: async (_window, signal) => {
      const wanted = [...new Set(names)];
      const found = new Map((await source.alarms(wanted, signal)).map((each) => [each.name, each.state]));
      return judgeAlarms(
        'CloudWatch alarms',
        wanted.map((each) => {
          const state = found.get(each) ?? 'not found';
          return {
            name: each,
            state,
            status: Object.hasOwn(statuses, state) ? statuses[state]! : 'inconclusive',
          };
        }),
      );
    },
  }),
  rights: () => mayDescribeAlarms,
};
