import { awsWorld } from './fake';
import type { SinkFake } from './fake';

const loadBalancerArn =
  'arn:aws:elasticloadbalancing:eu-west-1:123456789012:loadbalancer/app/edge/50dc6c495c0c9188';

export const fake: SinkFake = {
  least: { loadBalancerArn },
  whole: { loadBalancerArn, roleArn: 'arn:aws:iam::123456789012:role/notify' },
  secretKeys: [],
  start: () =>
    awsWorld({ loadBalancerArn }, (_got, response) =>
      response
        .writeHead(200, { 'content-type': 'text/xml' })
        .end(
          '<AddTagsResponse xmlns="http://elasticloadbalancing.amazonaws.com/doc/2015-12-01/"><AddTagsResult/></AddTagsResponse>',
        ),
    ),
};
