import type { AwsClients } from '../../../core/aws/clients';
import type { Check, CheckStatus } from '../../engine';
import type { AlarmSource, AlarmState } from '../check-context';
import { checkArgs, checkKindBy } from '../check-kind';
import type { CheckKind, IamStatement, CommonCheckArgs } from '../check-kind';
import { evaluateAlarms } from '../shared/alarms';
import { line, listOf } from '../shared/schemas';
import { describe, namesACall } from './source';

const mayDescribeAlarms: readonly IamStatement[] = [
  { actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] },
];

/** Alarms as CloudWatch knows them. */
export function awsAlarms(clients: AwsClients): AlarmSource {
  return {
    alarms: async (names, signal) => {
      const found: AlarmState[] = [];
      for (let first = 0; first < names.length; first += namesACall) {
        found.push(...(await describe(clients, names.slice(first, first + namesACall), signal)));
      }
      return found;
    },
  };
}

/** What `checks.cloudWatch.alarms` takes. */
export interface CloudWatchAlarmsArgs extends CommonCheckArgs {
  /** Names of metric and composite alarms, in the region of the load balancer. */
  readonly names: readonly string[];
}

const statuses: Readonly<Record<string, CheckStatus>> = { OK: 'pass', ALARM: 'fail' };

const kind: CheckKind<CloudWatchAlarmsArgs> = {
  asks: 'CloudWatch: is one of some alarms on?',
  stages: ['before', 'after'],
  perRouter: false,
  beforeTraffic: false,
  needs: 'nothing',
  args: checkArgs<CloudWatchAlarmsArgs>({ names: listOf(line) }),
  create: (name, { names }, { alarms: source }): Check => ({
    name,
    stages: ['before', 'after'],
    evaluate: async (_window, signal) => {
      const wanted = [...new Set(names)];
      const found = new Map((await source.alarms(wanted, signal)).map((each) => [each.name, each.state]));
      return evaluateAlarms(
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
  permissions: () => mayDescribeAlarms,
};

/**
 * CloudWatch alarms, before and after every step: one in `ALARM` fails; one with `INSUFFICIENT_DATA`, and one that is not
 * there, is inconclusive. Whether an alarm's actions are enabled does not matter.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/APIReference/API_DescribeAlarms.html
 */
export const alarms = checkKindBy(
  'cloudWatch.alarms',
  kind,
  (names: readonly string[], more: Omit<CloudWatchAlarmsArgs, 'names'> = {}): CloudWatchAlarmsArgs => ({
    ...more,
    names,
  }),
);
