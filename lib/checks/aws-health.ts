import type { AwsClients } from '../aws';
import type { AlarmSource, AlarmState } from './alarm-source';
import { askAwsSource, everySourcePage } from './aws-source';
import type { IamStatement } from './iam-statement';
import type { TargetHealthSource } from './target-states';

/** For both, AWS takes nothing narrower than `*`; for alarms, because composite ones are not found otherwise. */
export const mayDescribeTargetHealth: readonly IamStatement[] = [
  { actions: ['elasticloadbalancing:DescribeTargetHealth'], resources: ['*'] },
];
export const mayDescribeAlarms: readonly IamStatement[] = [
  { actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] },
];

/** Health of targets as Elastic Load Balancing knows it. */
export function awsTargetHealth(clients: AwsClients): TargetHealthSource {
  return {
    targets: async (targetGroupArn, signal) => {
      const call = { action: 'elasticloadbalancing:DescribeTargetHealth', subject: targetGroupArn };
      const { TargetHealthDescriptions = [] } = await askAwsSource(clients, call, signal, async () => {
        const client = await clients.elasticLoadBalancing();
        return client.describeTargetHealth({ TargetGroupArn: targetGroupArn }, { abortSignal: signal });
      });
      return TargetHealthDescriptions.map(({ TargetHealth }) => ({
        state: TargetHealth?.State ?? 'unknown',
        ...(TargetHealth?.Reason === undefined ? {} : { reason: TargetHealth.Reason }),
      }));
    },
  };
}

/** Most names that one call takes. */
const namesACall = 100;

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

async function describe(
  clients: AwsClients,
  names: readonly string[],
  signal: AbortSignal | undefined,
): Promise<readonly AlarmState[]> {
  const call = { action: 'cloudwatch:DescribeAlarms', subject: 'CloudWatch alarms' };
  return everySourcePage(call, async (token) => {
    const page = await askAwsSource(clients, call, signal, async () => {
      const client = await clients.cloudWatch();
      return client.describeAlarms(
        {
          AlarmNames: [...names],
          // Without it, only metric alarms are looked for.
          AlarmTypes: ['MetricAlarm', 'CompositeAlarm'],
          MaxRecords: namesACall,
          ...(token === undefined ? {} : { NextToken: token }),
        },
        { abortSignal: signal },
      );
    });
    const alarms = [...(page.MetricAlarms ?? []), ...(page.CompositeAlarms ?? [])];
    const items = alarms.flatMap(({ AlarmName, StateValue }): AlarmState[] =>
      AlarmName === undefined ? [] : [{ name: AlarmName, state: StateValue ?? 'unknown' }],
    );
    return { items, next: page.NextToken };
  });
}
