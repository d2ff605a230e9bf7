import type { RuleCondition } from '@aws-sdk/client-elastic-load-balancing-v2';
import { liveShare } from '../../../lib/operate/live-traffic';
import type { ListenerRule } from '../../../lib/operate/live-traffic/listener-rules';
import { isTestRoute } from '../../../lib/operate/live-traffic/listener-rules';
import { arnOf, BalancingWorld, forward } from './balancing-world';

const ofFleet = new Set([arnOf('blue'), arnOf('green')]);
const header = (HttpHeaderName: string, ...Values: string[]): RuleCondition => ({
  Field: 'http-header',
  HttpHeaderConfig: { HttpHeaderName, Values },
});
const host = (...Values: string[]): RuleCondition => ({
  Field: 'host-header',
  Values,
  HostHeaderConfig: { Values },
});
const path = (...Values: string[]): RuleCondition => ({
  Field: 'path-pattern',
  PathPatternConfig: { Values },
});
const query = (...Values: { Key?: string; Value?: string }[]): RuleCondition => ({
  Field: 'query-string',
  QueryStringConfig: { Values },
});
const networks = (...Values: string[]): RuleCondition => ({ Field: 'source-ip', SourceIpConfig: { Values } });
const www = host('www.example.com');
const slot = header('X-Slot', 'green');

const rule = (
  priority: number,
  conditions: readonly RuleCondition[],
  weights: Record<string, number> = { green: 100 },
): ListenerRule => ({
  where: String(priority),
  balancer: 'lb',
  priority,
  conditions,
  actions: [forward({ weights })],
});
const visitors = (...conditions: RuleCondition[]) => rule(20, conditions, { blue: 100, green: 0 });

describe('what visitors can not reach', () => {
  test.each<[string, readonly RuleCondition[], ListenerRule]>([
    ['a header beside the same host', [slot, www], visitors(www)],
    ['a cookie', [header('Cookie', '*slot=green*'), www], visitors(www)],
    ['a part of the query string', [query({ Key: 'slot', Value: 'green' }), www], visitors(www)],
    ['one host of several', [slot, www], visitors(host('example.com', 'WWW.example.com'))],
    ['a host that a wildcard takes', [slot, www], visitors(host('*.example.com'))],
    ['a path below', [slot, www, path('/cart/*')], visitors(www, path('/*'))],
    ['where all else goes to the default', [slot, www], rule(Infinity, [], { blue: 1, green: 0 })],
    ['for some networks only', [slot, www, networks('192.0.2.0/24')], visitors(www)],
    [
      'beside a secret that every request has',
      [slot, www, header('X-Origin-Verify', 'secret')],
      visitors(www, header('x-origin-verify', 'secret')),
    ],
  ])('%s', (_what, conditions, later) => {
    const test = rule(10, conditions);
    expect(isTestRoute(test, [test, later], ofFleet)).toBe(true);
  });
});

describe('what visitors may reach', () => {
  test.each<[string, readonly RuleCondition[], ListenerRule]>([
    ['a host', [www], visitors(www)],
    ['a path', [www, path('/beta')], visitors(www)],
    ['a source address', [www, networks('192.0.2.0/24')], visitors(www)],
    ['a header with any value', [header('X-Slot', '*'), www], visitors(www)],
    ['one of several values that is any', [header('X-Slot', 'green', '??*'), www], visitors(www)],
    ['a key with any value', [query({ Key: 'slot', Value: '*' }), www], visitors(www)],
    ['a header that browsers send', [header('User-Agent', '*Mobile*'), www], visitors(www)],
    ['one that begins as theirs do', [header('Accept-Language', 'de*'), www], visitors(www)],
    ['one of a content delivery network', [header('CloudFront-Viewer-Country', 'DE'), www], visitors(www)],
    [
      'a secret that every request has',
      [header('X-Origin-Verify', 's'), www],
      visitors(header('X-Origin-Verify', 's'), www),
    ],
    ['a header without which nothing answers', [slot, www], rule(20, [www], { sorry: 1 })],
    ['one without which the fleet has no weight', [slot, www], rule(20, [www], { sorry: 1, blue: 0 })],
    ['where visitors are served before', [slot, www], rule(5, [www], { blue: 1, green: 0 })],
    ['where others serve another host', [slot, www], visitors(host('api.example.com'))],
    [
      'where others ask for another header',
      [slot, header('Cookie', '*a*'), www],
      visitors(www, header('X-Other', 'green')),
    ],
    ['where others serve a part of the paths', [slot, www], visitors(www, path('/cart/*'))],
    ['where the wildcard is its own', [slot, host('*.example.com')], visitors(www)],
    [
      'a regular expression',
      [{ Field: 'http-header', HttpHeaderConfig: { HttpHeaderName: 'X-Slot', RegexValues: ['.*'] } }, www],
      visitors(www),
    ],
  ])('%s', (_what, conditions, later) => {
    const live = rule(10, conditions);
    expect(isTestRoute(live, [live, later], ofFleet)).toBe(false);
  });
});

describe('the live traffic of a slot', () => {
  const share = (world: BalancingWorld) => liveShare(world.clients, { fleet: 'apps', slot: 'green' }, world);

  test('has no test route in it', async () => {
    const weights = { blue: 97, green: 3 };
    const world = new BalancingWorld([
      { arn: 'test', priority: 10, conditions: [slot, www], weights: { green: 100 } },
      { arn: 'web', priority: 20, conditions: [www], weights },
    ]);
    expect(await share(world)).toEqual({ percent: 3, where: expect.stringContaining('/web') as string });
  });

  test('is all of a test route that visitors reach, too', async () => {
    const world = new BalancingWorld([
      { arn: 'test', priority: 10, conditions: [slot, www], weights: { green: 100 } },
      { arn: 'other', priority: 20, conditions: [host('x.example.com')], weights: { blue: 1, green: 0 } },
    ]);
    expect(await share(world)).toEqual({ percent: 100, where: expect.stringContaining('/test') as string });
  });

  test('is that of the rules of a Network Load Balancer, too', async () => {
    const ipv6: RuleCondition = { Field: 'source-ip', SourceIpConfig: { IpAddressType: 'ipv6' } };
    const world = new BalancingWorld(
      [{ arn: 'ipv6', priority: 1, conditions: [ipv6], weights: { blue: 20, green: 80 } }],
      'net',
      [forward({ weights: { blue: 100, green: 0 } })],
    );
    expect(await share(world)).toEqual({ percent: 80, where: expect.stringContaining('/ipv6') as string });
  });
});

test('a pattern of many wildcards is matched in no time', () => {
  const test = rule(10, [slot, host('a'.repeat(120))]);
  const from = Date.now();
  expect(isTestRoute(test, [test, visitors(host(`${'*a'.repeat(40)}*b`))], ofFleet)).toBe(false);
  expect(Date.now() - from).toBeLessThan(1_000);
});
