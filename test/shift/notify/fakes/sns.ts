import { awsWorld } from './fake';
import type { SinkFake } from './fake';

const topicArn = 'arn:aws:sns:eu-west-1:123456789012:shifts';

export const fake: SinkFake = {
  least: { topicArn },
  whole: {
    topicArn,
    kmsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab',
    roleArn: 'arn:aws:iam::123456789012:role/notify',
  },
  secretKeys: [],
  start: () =>
    awsWorld({ topicArn }, (_got, response) =>
      response
        .writeHead(200, { 'content-type': 'text/xml' })
        .end(
          '<PublishResponse xmlns="http://sns.amazonaws.com/doc/2010-03-31/"><PublishResult><MessageId>m</MessageId></PublishResult></PublishResponse>',
        ),
    ),
};
