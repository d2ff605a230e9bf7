import type { Action, RuleCondition } from '@aws-sdk/client-elastic-load-balancing-v2';
import { liveShare, slotRoutes } from '../../../lib/operate/live-traffic';
import type { ListenerRule } from '../../../lib/operate/live-traffic/listener-rules';
import { isPreview } from '../../../lib/operate/live-traffic/listener-rules';
import { BalancingWorld, arnOf } from './balancing-world';
import type { WorldRule } from './balancing-world';

const previewTags = { 'cluster-canary/preview': 'green', 'cluster-canary/fleet': 'apps' };
const www: RuleCondition = { Field: 'host-header', HostHeaderConfig: { Values: ['www.example.com'] } };
const header: RuleCondition = {
  Field: 'http-header',
  HttpHeaderConfig: { HttpHeaderName: 'x-slot', Values: ['green'] },
};
const cookie: RuleCondition = {
  Field: 'http-header',
  HttpHeaderConfig: { HttpHeaderName: 'Cookie', Values: ['*slot=green*'] },
};
const host: RuleCondition = {
  Field: 'host-header',
  Values: ['green.example.com'],
  HostHeaderConfig: { Values: ['green.example.com'] },
};
const headerOf = (name: string, ...values: string[]): RuleCondition => ({
  Field: 'http-header',
  HttpHeaderConfig: { HttpHeaderName: name, Values: values },
});
const hosts = (...values: string[]): RuleCondition => ({
  Field: 'host-header',
  HostHeaderConfig: { Values: values },
});
const path: RuleCondition = { Field: 'path-pattern', PathPatternConfig: { Values: ['/*'] } };

// A forward to one target group, as DescribeRules answers it.
const alone: Action = {
  Type: 'forward',
  TargetGroupArn: arnOf('green'),
  Order: 1,
  ForwardConfig: {
    TargetGroups: [{ TargetGroupArn: arnOf('green'), Weight: 1 }],
    TargetGroupStickinessConfig: { Enabled: false },
  },
};
const weighted: Action = {
  Type: 'forward',
  ForwardConfig: {
    TargetGroups: [
      { TargetGroupArn: arnOf('blue'), Weight: 0 },
      { TargetGroupArn: arnOf('green'), Weight: 100 },
    ],
  },
};
const rule = (conditions: RuleCondition[], actions = [alone]): ListenerRule => ({
  ...{ where: 'arn', balancer: 'lb', priority: 1 },
  ...{ conditions, actions },
});

test.each<[string, ListenerRule, Record<string, string> | undefined, boolean]>([
  ['a header', rule([www, header]), previewTags, true],
  ['a cookie', rule([www, cookie]), previewTags, true],
  ['a host', rule([host]), previewTags, true],
  ['a rule without the tag', rule([host]), {}, false],
  ['a rule whose tags are not known', rule([host]), undefined, false],
  ['a rule that somebody gave weights', rule([host], [weighted]), previewTags, false],
  ['a rule that somebody opened for all', rule([path]), previewTags, false],
  ['every host', rule([hosts('*')]), previewTags, false],
  ['many hosts', rule([hosts('*.example.com')]), previewTags, false],
  ['two hosts', rule([hosts('green.example.com', 'www.example.com')]), previewTags, false],
  ['any value of a header', rule([headerOf('x-slot', '*')]), previewTags, false],
  ['two values of a header', rule([headerOf('x-slot', 'green', 'blue')]), previewTags, false],
  ['a header that browsers send', rule([headerOf('User-Agent', 'curl')]), previewTags, false],
  ['any cookie', rule([headerOf('Cookie', '*')]), previewTags, false],
  ['any value of a cookie', rule([headerOf('Cookie', '*slot=*')]), previewTags, false],
  ['a value behind a secret of all', rule([headerOf('x-cdn', 'secret'), host]), previewTags, true],
  ['an action that is none', rule([host], [{ Type: 'fixed-response' }]), previewTags, false],
])('%s: whether it is a preview', (_what, given, tags, is) => {
  expect(isPreview(given, tags)).toBe(is);
});

const web: WorldRule = {
  ...{ arn: 'web', priority: 20, conditions: [www] },
  weights: { blue: 100, green: 0 },
};
const previewOf = (condition: RuleCondition, conditions = [www]): WorldRule => ({
  ...{ arn: 'preview', priority: 10, tags: previewTags },
  conditions: condition === host ? [host] : [...conditions, condition],
  weights: { green: 1 },
});
const share = (world: BalancingWorld) => liveShare(world.clients, { fleet: 'apps', slot: 'green' }, world);
/** What leads to green: routes and problems, whose ARNs are of this test alone. */
const found = async (world: BalancingWorld) => {
  const { routes, problems } = await slotRoutes(world.clients, 'green', undefined);
  return [...Object.keys(routes), ...problems];
};
const tagCalls = (world: BalancingWorld) => world.asked.filter((each) => each === 'DescribeTags').length;

describe.each<[string, RuleCondition]>([
  ['header', header],
  ['cookie', cookie],
  ['host', host],
])('a preview by a %s', (_what, condition) => {
  test('is no live traffic', async () => {
    const world = new BalancingWorld([previewOf(condition), web]);
    expect(await share(world)).toEqual({ percent: 0, where: 'no rule' });
  });

  test('of a slot whose other rules are gone is none either', async () => {
    expect(await share(new BalancingWorld([previewOf(condition)]))).toEqual({ percent: 0, where: 'no rule' });
  });

  test('hides no weight of a route', async () => {
    const world = new BalancingWorld([previewOf(condition), { ...web, weights: { blue: 90, green: 10 } }]);
    expect(await share(world)).toEqual({ percent: 10, where: expect.stringContaining('/web') as string });
  });

  test('is nothing to evacuate', async () => {
    const world = new BalancingWorld([previewOf(condition), web]);
    expect(await found(world)).toEqual([expect.stringContaining('/web')]);
  });
});

test('a host without the tag leads visitors', async () => {
  const { tags: _none, ...untagged } = previewOf(host);
  const world = new BalancingWorld([untagged, web]);
  expect(await share(world)).toEqual({
    percent: 100,
    where: expect.stringContaining('/preview') as string,
  });
  expect(await found(world)).toEqual([
    expect.stringMatching(/\/preview: it forwards to green alone/),
    expect.stringContaining('/web'),
  ]);
});

test('a host that another rule serves is that of visitors, whatever the tag says', async () => {
  const opened: WorldRule = { ...previewOf(host), conditions: [www] };
  expect(await share(new BalancingWorld([opened, web]))).toMatchObject({ percent: 100 });
  const headed = new BalancingWorld([previewOf(header), web]);
  expect(await share(headed)).toMatchObject({ percent: 0 });
  // Another fleet may have its preview there, behind a path of its own.
  const other: WorldRule = {
    ...previewOf(host),
    arn: 'other',
    conditions: [host, path],
    weights: { other: 1 },
  };
  expect(await share(new BalancingWorld([other, { ...previewOf(host), priority: 11 }, web]))).toMatchObject({
    percent: 0,
  });
});

test('tags are asked of rules alone that may be previews of the fleet', async () => {
  const before = new BalancingWorld([web]);
  await share(before);
  const others = new BalancingWorld([web, { ...previewOf(host), arn: 'other', weights: { other: 1 } }]);
  await share(others);
  expect([tagCalls(before), tagCalls(others)]).toEqual([1, 1]);
  const own = new BalancingWorld([previewOf(host), web]);
  await share(own);
  expect(tagCalls(own)).toBe(2);
});
