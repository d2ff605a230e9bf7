import type { ResourceRecordSet } from '@aws-sdk/client-route-53';
import type { AwsClients, AwsClientsOptions } from '../../lib/core/aws/clients';
import { awsClients } from '../../lib/core/aws/clients';
import { ssmLease, ssmLeaseParameter } from 'cluster-canary/leases';
import type { OpenRouter } from 'cluster-canary/routers';
import type { Clock, ShiftRecord, Weights } from 'cluster-canary/shift';
import type { AwsFault } from './bench/aws-proxy-faults';
import { onCleanUp } from './bench/clean-up';
import { eventually } from './bench/eventually';
import type { Moto } from './bench/moto';
import { moto } from './bench/moto';
import { forward, logIn, RouterWorld } from './bench/router-world';
import { albDefaultAction, albRule, nlbListener, route53 } from '../shift/routers/open';

/**
 * What moto does not show:
 * - It checks neither the weights' sum nor how many target groups an action has, and gives back a client secret.
 * - It gives the listeners of every load balancer the ARNs of an ALB's.
 * - A change of records is INSYNC at once.
 * - It has no rights: what is denied is denied by the proxy.
 */
let aws: Moto;
let world: RouterWorld;
let clients: AwsClients;

/** A busy machine may need a second for an answer of moto, and a write is tried once. */
const impatient: AwsClientsOptions = { maxAttempts: 3, requestTimeout: 2_000 };

beforeAll(async () => {
  aws = await moto();
  world = new RouterWorld(aws);
  clients = awsClients({ ...aws.settings, ...impatient });
  onCleanUp(() => {
    clients.close();
    world.close();
  });
});

afterEach(() => aws.proxy.heal());

/** Calls that a piece of work makes, as `action status`. */
async function callsOf(work: () => Promise<unknown>): Promise<string[]> {
  const before = aws.proxy.calls.length;
  await work().catch(() => undefined);
  return aws.proxy.calls.slice(before).map(({ action, status }) => `${action} ${status ?? 'no answer'}`);
}

/** What comes of a piece of work that fails, and the calls that it makes. */
async function failureOf(work: () => Promise<unknown>): Promise<{ error: unknown; calls: string[] }> {
  let error: unknown;
  const calls = await callsOf(() => work().catch((thrown: unknown) => (error = thrown)));
  return { error, calls };
}

describe('a rule with a login, stickiness and conditions', () => {
  let ruleArn: string;
  let groups: Readonly<Record<string, string>>;
  let router: OpenRouter;

  beforeAll(async () => {
    groups = await world.targetGroups('HTTP', 'blue', 'green', 'old');
    const { blue, green, old } = groups as { blue: string; green: string; old: string };
    const listener = await world.listener('application', 'HTTP', [forward({ [blue]: 1 })]);
    ruleArn = await world.rule(listener, [logIn, forward({ [blue]: 1, [old]: 0 }, 600)]);
    router = albRule({ ruleArn, targetGroupArns: { blue, green } }, clients);
  });

  test('is adopted at its live weights; a slot that is not there reads as 0', async () => {
    expect(await router.read()).toEqual({ blue: 100, green: 0 });
    expect(await router.describe()).toEqual({
      name: `ALB rule ${ruleArn}`,
      weights: { blue: 100, green: 0 },
      raw: { blue: 100, green: 0 },
      missing: ['green'],
      notes: [
        'keeps the action authenticate-oidc',
        'keeps the stickiness of 600 s',
        `keeps ${groups.old}, which is of no slot, at 0`,
      ],
    });
  });

  test.each([
    [100, 0],
    [99, 1],
    [0, 100],
    [37, 63],
  ])('keeps all but the weights: %i and %i', async (blue, green) => {
    const before = await world.ruleAt(ruleArn);
    expect(await callsOf(() => router.write({ blue, green }))).toEqual([
      'DescribeRules 200',
      'ModifyRule 200',
    ]);
    expect(await router.read()).toEqual({ blue, green });
    const after = await world.ruleAt(ruleArn);
    const [login, forwarding] = after.Actions!;
    const { AuthenticateOidcConfig: config, ...rest } = login!;
    const { ClientSecret: _secret, UseExistingClientSecret: _existing, ...sent } = config!;
    const { ClientSecret: _hidden, ...expected } = logIn.AuthenticateOidcConfig!;
    expect({ ...rest, AuthenticateOidcConfig: sent }).toMatchObject({
      Type: 'authenticate-oidc',
      Order: 1,
      AuthenticateOidcConfig: expected,
    });
    expect(forwarding).toMatchObject(
      forward({ [groups.blue!]: blue, [groups.old!]: 0, [groups.green!]: green }, 600),
    );
    expect({ ...after, Actions: [] }).toEqual({ ...before, Actions: [] });
  });

  test('the client secret stays where it is', () => {
    const [sent] = aws.proxy.callsOf('ModifyRule').slice(-1);
    const config = 'Actions.member.1.AuthenticateOidcConfig';
    expect(sent!.body[`${config}.UseExistingClientSecret`]).toBe('true');
    expect(Object.keys(sent!.body)).not.toContain(`${config}.ClientSecret`);
  });

  test('waits for the stickiness and the deregistration of its target groups', async () => {
    expect(await router.minimumWait()).toEqual({
      milliseconds: 600_000,
      writeMilliseconds: 0,
      because: [
        'a client may stay with its slot for 600 s (stickiness of the action)',
        'a request to blue may last 300 s (deregistration delay of its target group)',
        'a request to green may last 300 s (deregistration delay of its target group)',
      ],
    });
  });

  describe('when AWS fails', () => {
    beforeAll(() => router.write({ blue: 90, green: 10 }));

    test('a throttled write is sent once, and tells the live weights', async () => {
      aws.proxy.fail({ action: 'ModifyRule', fault: 'throttling' });
      const { error, calls } = await failureOf(() => router.write({ blue: 80, green: 20 }));
      expect(error).toMatchObject({
        failure: 'throttled',
        live: { blue: 90, green: 10 },
        message: expect.stringMatching(/throttles .*:ModifyRule.*; the live weights are blue 90, green 10$/),
      });
      expect(calls).toEqual(['DescribeRules 200', 'ModifyRule 400']);
      await router.write({ blue: 80, green: 20 });
    });

    test('a throttled read is repeated', async () => {
      aws.proxy.fail({ action: 'DescribeRules', fault: 'throttling', times: 2 });
      expect(await callsOf(() => router.read())).toEqual([
        'DescribeRules 400',
        'DescribeRules 400',
        'DescribeRules 200',
      ]);
    });

    test('a missing right is named, and the call not repeated', async () => {
      aws.proxy.fail({ action: 'ModifyRule', fault: 'accessDenied', times: 3 });
      const before = aws.proxy.callsOf('ModifyRule').length;
      await expect(router.write({ blue: 70, green: 30 })).rejects.toMatchObject({
        failure: 'denied',
        live: { blue: 80, green: 20 },
        message: expect.stringMatching(/lack the right elasticloadbalancing:ModifyRule/),
      });
      expect(aws.proxy.callsOf('ModifyRule').length).toBe(before + 1);
    });

    test('no right to read is named, too', async () => {
      aws.proxy.fail({ action: 'DescribeRules', fault: 'accessDenied' });
      await expect(router.read()).rejects.toMatchObject({
        failure: 'denied',
        message: expect.stringMatching(/lack the right elasticloadbalancing:DescribeRules/),
      });
    });

    test.each<[string, AwsFault, string]>([
      ['no answer ever, and no effect', 'timeout', 'no answer'],
      ['no answer ever, but the effect', 'answerLost', 'no answer'],
      ['a fault of AWS', { status: 500 }, '500'],
      ["a proxy's page with status 200", { page: 200 }, '200'],
      ["a proxy's page with status 503", { page: 503 }, '503'],
      ["a proxy's page with status 403", { page: 403 }, '403'],
    ])('%s: one request, whose fate is not known', async (_, fault, status) => {
      aws.proxy.fail({ action: 'ModifyRule', fault });
      const { error, calls } = await failureOf(() => router.write({ blue: 60, green: 40 }));
      expect(error).toMatchObject({ failure: 'unreachable', live: undefined });
      expect(calls).toEqual(['DescribeRules 200', `ModifyRule ${status}`]);
      expect(await router.read()).toEqual(
        fault === 'answerLost' ? { blue: 60, green: 40 } : { blue: 80, green: 20 },
      );
      await router.write({ blue: 80, green: 20 });
    });

    test("a proxy's page in place of the rules is no rule that is gone", async () => {
      for (const page of [200, 404]) {
        aws.proxy.fail({ action: 'DescribeRules', fault: { page } });
        await expect(router.read()).rejects.toMatchObject({
          failure: 'unreachable',
          message: expect.stringMatching(/is not AWS/),
        });
      }
    });

    test('weights that somebody else has set are not written over', async () => {
      const write = (...expected: Weights[]) => router.write({ blue: 70, green: 30 }, undefined, expected);
      const { error, calls } = await failureOf(() => write({ blue: 90, green: 10 }));
      expect(error).toMatchObject({ failure: 'changed', live: { blue: 80, green: 20 } });
      expect(calls).toEqual(['DescribeRules 200']);
      await write({ blue: 80, green: 20 });
      expect(await router.read()).toEqual({ blue: 70, green: 30 });
    });

    test('an abort ends a call that hangs', async () => {
      aws.proxy.fail({ action: 'ModifyRule', fault: 'timeout' });
      const cancel = new AbortController();
      const before = aws.proxy.callsOf('ModifyRule').length;
      const writing = expect(router.write({ blue: 40, green: 60 }, cancel.signal)).rejects.toMatchObject({
        failure: 'unreachable',
        live: undefined,
        message: expect.stringMatching(/was cancelled$/),
      });
      await eventually('the call that hangs', () => aws.proxy.callsOf('ModifyRule').length > before);
      cancel.abort();
      await writing;
      expect(aws.proxy.callsOf('ModifyRule')).toHaveLength(before + 1);
    });
  });

  test('weights of somebody else that do not fit are refused with what to do', async () => {
    const { blue, green, old } = groups as { blue: string; green: string; old: string };
    await world.balancing.modifyRule({ RuleArn: ruleArn, Actions: [forward({ [blue]: 1, [green]: 2 })] });
    await expect(router.read()).rejects.toMatchObject({
      failure: 'unfit',
      message: expect.stringMatching(/set them once to blue 33, green 67/),
    });
    await router.write({ blue: 33, green: 67 });
    expect(await router.read()).toEqual({ blue: 33, green: 67 });
    await world.balancing.modifyRule({ RuleArn: ruleArn, Actions: [forward({ [blue]: 50, [old]: 50 })] });
    await expect(router.write({ blue: 90, green: 10 })).rejects.toMatchObject({ failure: 'unfit' });
    expect((await world.ruleAt(ruleArn)).Actions![0]).toMatchObject(forward({ [blue]: 50, [old]: 50 }));
  });

  test('a rule that is gone is not found', async () => {
    await world.balancing.deleteRule({ RuleArn: ruleArn });
    const expected = {
      failure: 'notFound',
      message: expect.stringMatching(/^ALB rule .* finds nothing there/),
    };
    await expect(router.read()).rejects.toMatchObject(expected);
    await expect(router.write({ blue: 90, green: 10 })).rejects.toMatchObject(expected);
  });
});

/** Clients that call a listener of an NLB what moto calls it. */
function motoNames(own: AwsClients): AwsClients {
  return {
    ...own,
    elasticLoadBalancing: async () => {
      const client = await own.elasticLoadBalancing();
      client.middlewareStack.add(
        (next) => (args) => {
          const input = JSON.stringify(args.input).replaceAll('listener/net/', 'listener/app/');
          return next({ ...args, input: JSON.parse(input) });
        },
        { step: 'initialize', name: 'motoNames', override: true },
      );
      return client;
    },
  };
}

describe.each([
  ['default action of an ALB', 'application', 'HTTP', albDefaultAction],
  ['listener of an NLB', 'network', 'TCP', nlbListener],
] as const)('the %s', (_, type, protocol, make) => {
  test('keeps all but the weights', async () => {
    const { blue, green } = (await world.targetGroups(protocol, 'blue', 'green')) as Record<
      'blue' | 'green',
      string
    >;
    const sticky = type === 'application' ? 120 : undefined;
    const actions = [forward({ [blue]: 500, [green]: 500 }, sticky)];
    const motoArn = await world.listener(type, protocol, actions);
    const listenerArn = type === 'network' ? motoArn.replace('/app/', '/net/') : motoArn;
    const own = awsClients({ ...aws.settings, ...impatient });
    const router = make({ listenerArn, targetGroupArns: { blue, green } }, motoNames(own));
    expect(await router.read()).toEqual({ blue: 50, green: 50 });
    const before = await world.listenerAt(motoArn);
    expect(await callsOf(() => router.write({ blue: 5, green: 95 }))).toEqual([
      'DescribeListeners 200',
      'ModifyListener 200',
    ]);
    expect(await router.read()).toEqual({ blue: 5, green: 95 });
    const after = await world.listenerAt(motoArn);
    expect(after.DefaultActions).toMatchObject([forward({ [blue]: 5, [green]: 95 }, sticky)]);
    expect({ ...after, DefaultActions: [] }).toEqual({ ...before, DefaultActions: [] });
    await world.balancing.deleteListener({ ListenerArn: motoArn });
    await expect(router.read()).rejects.toMatchObject({ failure: 'notFound' });
    own.close();
  });
});

describe('weighted records', () => {
  const slept: number[] = [];
  const clock: Clock = {
    now: () => Date.now(),
    sleep: (milliseconds) => {
      slept.push(milliseconds);
      return Promise.resolve();
    },
  };
  const alias = { HostedZoneId: 'Z2P70J7EXAMPLE', DNSName: 'edge.example.net.', EvaluateTargetHealth: true };
  const weighted = (
    Name: string,
    SetIdentifier: string,
    Weight: number,
    more: Partial<ResourceRecordSet> = {},
  ): ResourceRecordSet => ({
    ...{ Name, Type: 'A', SetIdentifier, Weight, TTL: 30, ResourceRecords: [{ Value: '192.0.2.1' }] },
    ...more,
  });
  const aliased = { TTL: undefined, ResourceRecords: undefined, AliasTarget: alias };
  const setIdentifiers = { blue: 'apps-blue', green: 'apps-green' };
  let zoneId: string;

  beforeAll(async () => {
    const { HealthCheck } = await world.dns.createHealthCheck({
      CallerReference: 'routers',
      HealthCheckConfig: { Type: 'HTTP', IPAddress: '192.0.2.1', Port: 80 },
    });
    zoneId = await world.zone([
      weighted('www.example.com', 'apps-blue', 9, { HealthCheckId: HealthCheck!.Id }),
      weighted('www.example.com', 'apps-green', 1),
      weighted('www.example.com', 'apps-blue', 9, { ...aliased, Type: 'AAAA' }),
      weighted('www.example.com', 'apps-green', 1, { ...aliased, Type: 'AAAA' }),
      weighted('www.example.com.example.com', 'apps-blue', 200),
      weighted('*.example.com', 'apps-blue', 1, aliased),
      weighted('*.example.com', 'apps-green', 0, aliased),
    ]);
  });

  beforeEach(() => slept.splice(0));

  const router = (recordName: string, recordType: 'A' | readonly ('A' | 'AAAA')[]) =>
    route53({ hostedZoneId: zoneId, recordName, recordType, setIdentifiers }, clients, clock);

  test('of both types change together, and keep all but the weights', async () => {
    const both = router('www.example.com', ['A', 'AAAA']);
    expect(await both.read()).toEqual({ blue: 90, green: 10 });
    const before = await world.records(zoneId);
    await both.write({ blue: 25, green: 75 });
    expect(await both.read()).toEqual({ blue: 25, green: 75 });
    const expected = before.map((record) => ({
      ...record,
      Weight:
        record.Name === 'www.example.com.'
          ? { 'apps-blue': 25, 'apps-green': 75 }[record.SetIdentifier!]
          : record.Weight,
    }));
    expect(await world.records(zoneId)).toEqual(expected);
    expect(slept).toEqual([60_000]);
  });

  test('of a wildcard are found by their plain name', async () => {
    const wildcard = router('*.example.com', 'A');
    expect(await wildcard.read()).toEqual({ blue: 100, green: 0 });
    await wildcard.write({ blue: 0, green: 100 });
    expect(await wildcard.read()).toEqual({ blue: 0, green: 100 });
    expect(
      (await world.records(zoneId)).filter(({ Name }) => Name!.includes('052') || Name!.includes('*')),
    ).toHaveLength(2);
  });

  test('of one type that differ from those of the other are refused', async () => {
    await router('www.example.com', 'A').write({ blue: 50, green: 50 });
    await expect(router('www.example.com', ['A', 'AAAA']).read()).rejects.toMatchObject({
      failure: 'unfit',
      message: expect.stringMatching(/type A have the weights blue 50.* type AAAA have blue 25/),
    });
    await router('www.example.com', ['A', 'AAAA']).write({ blue: 50, green: 50 });
    expect(await router('www.example.com', ['A', 'AAAA']).read()).toEqual({ blue: 50, green: 50 });
  });

  test('a throttled change and a missing right are errors with the live weights', async () => {
    const one = router('www.example.com', 'A');
    const change = /^POST .*rrset/;
    aws.proxy.fail({ action: change, fault: 'throttling' });
    const before = aws.proxy.calls.filter(({ action }) => change.test(action)).length;
    await expect(one.write({ blue: 60, green: 40 })).rejects.toMatchObject({
      failure: 'throttled',
      live: { blue: 50, green: 50 },
    });
    expect(aws.proxy.calls.filter(({ action }) => change.test(action))).toHaveLength(before + 1);
    aws.proxy.fail({ action: change, fault: { page: 200 } });
    await expect(one.write({ blue: 60, green: 40 })).rejects.toMatchObject({
      failure: 'unreachable',
      live: { blue: 50, green: 50 },
    });
    await one.write({ blue: 60, green: 40 });
    expect(await one.read()).toEqual({ blue: 60, green: 40 });
    aws.proxy.fail({ action: /^POST .*rrset/, fault: 'accessDenied' });
    await expect(one.write({ blue: 70, green: 30 })).rejects.toMatchObject({
      failure: 'denied',
      live: { blue: 60, green: 40 },
      message: expect.stringMatching(/lack the right route53:ChangeResourceRecordSets/),
    });
  });

  test('that are gone are not found, nor is a zone', async () => {
    await expect(router('gone.example.com', 'A').read()).rejects.toMatchObject({ failure: 'notFound' });
    const elsewhere = route53(
      { hostedZoneId: 'Z0', recordName: 'www.example.com', recordType: 'A', setIdentifiers },
      clients,
    );
    await expect(elsewhere.read()).rejects.toMatchObject({ failure: 'notFound' });
  });
});

describe('a lease in SSM', () => {
  const id = 'arn:aws:elasticloadbalancing:eu-west-1:123456789012:listener-rule/app/edge/1/2/3';
  const record: ShiftRecord = {
    origin: { blue: 100, green: 0 },
    wanted: { blue: 0, green: 100 },
    written: { blue: 90, green: 10 },
    startedAt: 5,
  };
  let now = Date.now();
  const clock: Clock = { now: () => now, sleep: () => Promise.resolve() };
  const lease = (holder: string) => ssmLease(id, clients, { holder, duration: 60_000, clock });

  test('passes from one holder to the next with its record', async () => {
    const [one, two] = [lease('one'), lease('two')];
    expect((await one.acquire()).record?.ended).toEqual(undefined);
    await expect(two.acquire()).rejects.toMatchObject({ name: 'LeaseTaken', holder: 'one' });
    await one.keep(record);
    now += 60_000;
    expect(await two.acquire()).toEqual({ record });
    await expect(one.keep(record)).rejects.toMatchObject({ name: 'LeaseTaken', holder: 'two' });
    await two.release();
    const three = lease('three');
    expect(await three.acquire()).toEqual({ record });
    const over = { ...record, ended: { at: now, verdict: 'completed', live: null } } as const;
    await three.release(over);
    expect(await lease('four').acquire()).toEqual({ record: over });
    await lease('four').release();
  });

  test('of many at once, one gets it', async () => {
    const all = ['a', 'b', 'c', 'd'].map(lease);
    const taken = await Promise.allSettled(all.map((one) => one.acquire()));
    expect(taken.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    now += 60_000;
    const again = await Promise.allSettled(['e', 'f', 'g', 'h'].map(lease).map((one) => one.acquire()));
    expect(again.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    now += 60_000;
  });

  test('a lost answer does not lock its holder out', async () => {
    const one = lease('one');
    await one.acquire();
    aws.proxy.fail({ action: 'PutParameter', fault: 'answerLost' });
    await one.keep(record);
    await one.keep(record);
    await one.release();
    aws.proxy.fail({ action: 'PutParameter', fault: 'answerLost' });
    const two = lease('two');
    expect(await two.acquire()).toEqual({ record });
    await two.release();
  });

  test('a missing right is named', async () => {
    aws.proxy.fail({ action: 'PutParameter', fault: 'accessDenied' });
    await expect(lease('one').acquire()).rejects.toMatchObject({
      name: 'AwsError',
      message: expect.stringMatching(new RegExp(`^SSM parameter ${ssmLeaseParameter(id)}.*ssm:PutParameter`)),
    });
  });
});

describe('credentials and regions', () => {
  const rule = { ruleArn: '', targetGroupArns: {} };

  beforeAll(async () => {
    const groups = await world.targetGroups('HTTP', 'blue', 'green');
    const listener = await world.listener('application', 'HTTP', [forward({ [groups.blue!]: 1 })]);
    rule.ruleArn = await world.rule(listener, [forward({ [groups.blue!]: 1, [groups.green!]: 0 })]);
    rule.targetGroupArns = groups;
  });

  test('a role is assumed once, and its credentials used', async () => {
    const roleArn = 'arn:aws:iam::123456789012:role/canary';
    const own = awsClients({ ...aws.settings, roleArn, sessionName: 'shift-web' });
    const router = albRule(rule, own);
    expect(await callsOf(() => router.read())).toEqual(['AssumeRole 200', 'DescribeRules 200']);
    expect(await callsOf(() => router.read())).toEqual(['DescribeRules 200']);
    expect(aws.proxy.callsOf('AssumeRole').at(-1)!.body).toMatchObject({
      RoleArn: roleArn,
      RoleSessionName: 'shift-web',
    });
    own.close();
  });

  test('a role that may not be assumed names that right', async () => {
    const own = awsClients({ ...aws.settings, roleArn: 'arn:aws:iam::123456789012:role/canary' });
    aws.proxy.fail({ action: 'AssumeRole', fault: 'accessDenied', times: 9 });
    await expect(albRule(rule, own).read()).rejects.toMatchObject({ failure: 'denied' });
    own.close();
  });

  test('a region that no endpoint answers for is told', async () => {
    const own = awsClients({ region: 'eu-mars-9', credentials: aws.settings.credentials, maxAttempts: 1 });
    await expect(albRule(rule, own).read()).rejects.toMatchObject({
      failure: 'unreachable',
      message: expect.stringMatching(/elasticloadbalancing\.eu-mars-9\.amazonaws\.com/),
    });
    own.close();
  });

  test('nobody listens', async () => {
    const own = awsClients({ ...aws.settings, endpoint: 'http://127.0.0.1:1', maxAttempts: 2 });
    await expect(albRule(rule, own).read()).rejects.toMatchObject({
      failure: 'unreachable',
      message: expect.stringMatching(/no answer to elasticloadbalancing:DescribeRules .*ECONNREFUSED/),
    });
    own.close();
  });
});
