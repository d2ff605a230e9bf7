import { awsWorld } from './fake';
import type { SinkFake } from './fake';

const eventBusArn = 'arn:aws:events:eu-west-1:123456789012:event-bus/ops';

export const fake: SinkFake = {
  least: { eventBusArn },
  whole: { eventBusArn, roleArn: 'arn:aws:iam::123456789012:role/notify' },
  secretKeys: [],
  start: () =>
    awsWorld({ eventBusArn }, (_got, response) =>
      response
        .writeHead(200, { 'content-type': 'application/x-amz-json-1.1' })
        .end(JSON.stringify({ FailedEntryCount: 0, Entries: [{ EventId: 'e' }] })),
    ),
};
