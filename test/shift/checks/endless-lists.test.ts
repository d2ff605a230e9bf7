import type { AwsClients } from '../../../lib/core/aws/clients';
import { awsMetricData } from '../../../lib/shift/checks';
import { awsAlarms } from '../../../lib/shift/checks/cloudwatch/alarms';
import { SourceError } from '../../../lib/shift/engine';

/** A stand-in for AWS whose lists never end. */
const client = {
  describeAlarms: () => Promise.resolve({ MetricAlarms: [], NextToken: 'a' }),
  getMetricData: () => Promise.resolve({ MetricDataResults: [], NextToken: 'a' }),
};
const clients = { cloudWatch: () => Promise.resolve(client) } as unknown as AwsClients;

test.each([
  ['alarms', () => awsAlarms(clients).alarms(['errors'])],
  ['figures', () => awsMetricData(clients).query([{ Id: 'a', Expression: '1' }], 0, 60_000)],
])('a list of %s that names the same next page again is a failure of the source', async (_what, ask) => {
  const error = await ask().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SourceError);
  expect((error as Error).message).toContain('names the same next page again');
});
