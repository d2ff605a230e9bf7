import { readFileSync, readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  LoadBalancingReader,
  askBalancing,
  forwardTargets,
  liveActions,
} from '../../../lib/core/aws/load-balancing';
import { RecordingClients } from './recording-clients';
import type { Answers } from './recording-clients';

const listener = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener/app/edge/1/2';

function reader(answers: Answers) {
  const clients = new RecordingClients(answers);
  return { clients, reader: new LoadBalancingReader(askBalancing(clients)) };
}

const pages = (name: string) => ({
  answer: ({ Marker = '0' }: { Marker?: string }) => ({
    [name]: [{ id: Marker }],
    ...(Marker !== '2' && { NextMarker: String(Number(Marker) + 1) }),
  }),
  whole: ['0', '1', '2'].map((id) => ({ id })),
});

test.each<[string, string, (of: LoadBalancingReader) => Promise<unknown>, object]>([
  ['DescribeRules', 'Rules', (of) => of.rules(listener), { ListenerArn: listener }],
  ['DescribeListeners', 'Listeners', (of) => of.listeners('lb'), { LoadBalancerArn: 'lb' }],
  ['DescribeLoadBalancers', 'LoadBalancers', (of) => of.balancers(['lb']), { LoadBalancerArns: ['lb'] }],
  ['DescribeLoadBalancers', 'LoadBalancers', (of) => of.balancers(), {}],
  ['DescribeTargetGroups', 'TargetGroups', (of) => of.targetGroups(['tg']), { TargetGroupArns: ['tg'] }],
  ['DescribeTargetGroups', 'TargetGroups', (of) => of.targetGroups(), {}],
])('%s: every page of %s is read, and a list without end is none', async (call, list, read, input) => {
  const { answer, whole } = pages(list);
  const { clients, reader: of } = reader({ [call]: answer });
  expect(await read(of)).toEqual(whole);
  expect(clients.inputs(call)).toEqual(
    [undefined, '1', '2'].map((Marker) => ({ ...input, ...(Marker !== undefined && { Marker }) })),
  );
  const endless = reader({ [call]: () => ({ [list]: [], NextMarker: 'again' }) });
  await expect(read(endless.reader)).rejects.toMatchObject({
    failure: { kind: 'unreachable' },
    message: expect.stringMatching(/the list does not end: it names the same next page again/),
  });
  let page = 0;
  const long = reader({ [call]: () => ({ [list]: [], NextMarker: `page-${(page += 1)}` }) });
  await expect(read(long.reader)).rejects.toThrow(/it has more than 1000 pages/);
  const none = reader({ [call]: () => ({}) });
  await expect(read(none.reader)).rejects.toMatchObject({ failure: { kind: 'unreachable' } });
});

test('a default rule does what its listener does by default, and is left out', async () => {
  const Rules = [{ RuleArn: 'a' }, { RuleArn: 'b', IsDefault: true }];
  expect(await reader({ DescribeRules: () => ({ Rules }) }).reader.rules(listener)).toEqual([
    { RuleArn: 'a' },
  ]);
});

test('tags are asked for twenty at a time', async () => {
  const { clients, reader: of } = reader({
    DescribeTags: ({ ResourceArns }) => ({
      TagDescriptions: ResourceArns.map((ResourceArn: string) => ({
        ResourceArn,
        Tags: [{ Key: 'of', Value: ResourceArn }],
      })),
    }),
  });
  const arns = Array.from({ length: 45 }, (_, index) => `arn-${index}`);
  const tags = await of.tags(arns);
  expect([...tags.keys()]).toEqual(arns);
  expect(tags.get('arn-44')).toEqual({ of: 'arn-44' });
  expect(clients.inputs('DescribeTags').map(({ ResourceArns }) => ResourceArns.length)).toEqual([20, 20, 5]);
  expect(await of.tags([])).toEqual(new Map());
});

test('an error names what was asked of what', async () => {
  const denied = () => {
    throw Object.assign(new Error('no'), { name: 'AccessDenied', $metadata: { httpStatusCode: 403 } });
  };
  const clients = new RecordingClients({ DescribeRules: denied });
  const of = (subject?: string) => new LoadBalancingReader(askBalancing(clients, subject)).rules(listener);
  await expect(of()).rejects.toThrow(`listener ${listener}: the credentials lack the right elastic`);
  await expect(of('slot green')).rejects.toThrow('slot green: the credentials lack the right elastic');
});

test('the actions of one rule, or listener, are one request', async () => {
  const rule = listener.replace(':listener/', ':listener-rule/');
  const Actions = [{ Type: 'forward' as const }];
  const clients = new RecordingClients({
    DescribeRules: ({ RuleArns }) => ({ Rules: RuleArns[0] === `${rule}/3` ? [{ Actions }] : [] }),
    DescribeListeners: () => ({ Listeners: [{ DefaultActions: Actions }] }),
  });
  const look = { subject: 'it', region: 'eu-west-1', words: 'ALB rule' };
  expect(await liveActions(clients, `${rule}/3`, look)).toEqual(Actions);
  expect(await liveActions(clients, listener, look)).toEqual(Actions);
  await expect(liveActions(clients, `${rule}/4`, look)).rejects.toMatchObject({
    failure: { kind: 'notFound' },
  });
  expect(clients.names).toEqual(['DescribeRules', 'DescribeListeners', 'DescribeRules']);
});

test.each([
  [[], []],
  [[{ Type: 'redirect' as const }], []],
  [[{ Type: 'forward' as const, TargetGroupArn: 'a' }], [{ arn: 'a', weight: 1 }]],
  [
    [{ Type: 'forward' as const, ForwardConfig: { TargetGroups: [{ TargetGroupArn: 'a', Weight: 0 }] } }],
    [{ arn: 'a', weight: 0 }],
  ],
  [
    [
      {
        Type: 'forward' as const,
        ForwardConfig: { TargetGroups: [{ TargetGroupArn: 'a' }, { TargetGroupArn: 'b', Weight: 3 }] },
      },
    ],
    [
      { arn: 'a', weight: 0 },
      { arn: 'b', weight: 3 },
    ],
  ],
])('%j forward to %j', (actions, expected) => {
  expect(forwardTargets(actions)).toEqual(expected);
});

test('nothing else of the library reads rules, listeners, target groups or their tags', () => {
  const lib = resolve(__dirname, '../../../lib');
  const reads =
    /\b(describe|Describe|paginateDescribe)(Rules|Listeners|LoadBalancers|TargetGroups|TargetGroupAttributes)(Command)?\(|\.describeTags\(\{ ResourceArns|ForwardConfig\?\.TargetGroups\b/;
  const files = readdirSync(lib, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  );
  const readers = files.filter((file) => reads.test(readFileSync(join(lib, file), 'utf8')));
  expect(readers).toEqual([join('core', 'aws', 'load-balancing.ts')]);
});
