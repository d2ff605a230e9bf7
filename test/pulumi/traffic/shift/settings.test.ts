import * as pulumi from '@pulumi/pulumi';
import { FleetTraffic } from '../../../../lib/pulumi/traffic';
import { listenerRuleSplits } from '../../../../lib/pulumi/traffic/shift/kinds';
import { argumentProblems } from '../../../../lib/core/validation/arguments';
import { object } from '../../../../lib/core/validation/collections';
import { defaultChecks, trafficShiftProblems } from '../../../../lib/pulumi/traffic/shift/shift-args';
import type { TrafficShiftArgs } from '../../../../lib/pulumi/traffic/shift/shift-args';
import { trafficSplitEntries } from '../../../../lib/pulumi/traffic/traffic-split';
import type { PlanParts } from '../../../../lib/pulumi/traffic/shift/split-group';
import { planSettings } from '../../../../lib/pulumi/traffic/shift/split-group';
import { parsePlan } from '../../../../lib/shift/plan-file';
import { checks } from 'cluster-canary';
import { register } from '../../../pulumi-mocks';
import { edge, fleetOf, types, value, web } from '../samples';
import { groupArn, ruleArn } from './fake-load-balancer';

describe('the settings of a shift', () => {
  const slots = ['blue', 'green'];
  const paths = (args: unknown, ownActions = false) =>
    argumentProblems(
      object<{ shift?: TrafficShiftArgs | false }>({ shift: trafficSplitEntries.shift }),
      { shift: args },
      (sound) => trafficShiftProblems(sound.shift, slots, ownActions),
    ).map(({ path }) => path);

  test.each<[string, unknown]>([
    ['nothing', undefined],
    ['false', false],
    ['nothing in particular', {}],
    [
      'everything',
      {
        ...{
          step: 10,
          firstStep: 1,
          every: '2m',
          checkEvery: '15s',
          bake: '10m',
          pause: [50],
          deadline: '2h',
        },
        ...{ inconclusiveLimit: '5m', onFailure: { rollbackTo: 'blue' }, onInterrupt: 'rollback' },
        ...{ runBy: 'workflow', lease: { ssm: { duration: '1m' } }, resumedTo: 50 },
        roleArn: 'arn:aws:iam::123456789012:role/shift',
        notify: [{ slack: { webhookUrl: { env: 'HOOK' } } }],
        checks: [checks.targetHealth(), checks.capacity({ maxLoad: 2 })],
        capacity: { scale: ['hpa', 'keda'], hold: 'untilBaked', contexts: { blue: 'b' }, kubeconfig: '/k' },
      },
    ],
    [
      'capacity with a kubeconfig that is known later',
      { capacity: { kubeconfigTexts: { blue: pulumi.output('x') } } },
    ],
    ['a sink that is known later', { notify: [{ sns: { topicArn: pulumi.output('x') } }] }],
    [
      'a check that holds an output',
      { checks: [checks.argoApplications({ kubeconfigText: pulumi.output('x') })] },
    ],
  ])('may be %s', (_what, args) => {
    expect(paths(args)).toEqual([]);
  });

  test.each<[string, unknown, string[]]>([
    ['true', true, ['shift']],
    ['a list', [], ['shift']],
    ['words that nobody knows', { steps: 10 }, ['shift.steps']],
    ['a duration without unit', { every: '2', bake: 5 }, ['shift.every', 'shift.bake']],
    ['a runner that nobody knows', { runBy: 'cron' }, ['shift.runBy']],
    ['a place that is none', { resumedTo: 100 }, ['shift.resumedTo']],
    ['a role that is none', { roleArn: 'admin' }, ['shift.roleArn']],
    ['a lease that nobody knows', { lease: 'dynamo' }, ['shift.lease']],
    ['a rollback to no slot', { onFailure: { rollbackTo: 'red' } }, ['shift.onFailure.rollbackTo']],
    ['sinks that are no list', { notify: {} }, ['shift.notify']],
    ['no sink', { notify: [] }, ['shift.notify']],
    ['a sink that nobody knows', { notify: [{ pager: {} }] }, ['shift.notify[0].pager']],
    [
      'a secret itself',
      { notify: [{ slack: { webhookUrl: 'https://hooks.slack.com/x' } }] },
      ['shift.notify[0].slack.webhookUrl'],
    ],
    ['checks that are no list', { checks: {} }, ['shift.checks']],
    ['a check that nobody knows', { checks: [{ luck: {} }] }, ['shift.checks[0].luck']],
    [
      'kubeconfigs for a shift that somebody else runs',
      { runBy: 'operator', capacity: { kubeconfigTexts: { blue: 'clusters: []' } } },
      ['shift.capacity.kubeconfigTexts'],
    ],
    [
      'wrong beside a check that holds an output',
      {
        checks: [
          checks.argoApplications({ kubeconfigText: pulumi.output('x') }),
          { targetHealth: { min: 2 } },
          pulumi.output({ luck: {} }),
        ],
      },
      ['shift.checks[1].targetHealth.min'],
    ],
    [
      'many faults, all told at once',
      { step: 0, runBy: 'x', checks: [{ targetHealth: { min: 2 } }] },
      ['shift.step', 'shift.runBy', 'shift.checks[0].targetHealth.min'],
    ],
  ])('are refused where they are %s', (_what, args, found) => {
    expect(paths(args)).toEqual(found);
  });

  test('have to be left out where a rule has actions of its own', () => {
    expect(paths({}, true)).toEqual(['shift']);
    expect(paths(undefined, true)).toEqual(['shift']);
    expect(paths(false, true)).toEqual([]);
  });
});

test('without settings, targets have to be healthy and enough', () => {
  expect(defaultChecks.flatMap((each) => Object.keys(each))).toEqual(['targetHealth', 'capacity']);
});

describe('the plan of a shift', () => {
  const rule = (id: number, route: string) => ({
    id: ruleArn(id),
    targets: { blue: groupArn(`blue-${route}`), green: groupArn(`green-${route}`) },
  });
  const parts: PlanParts = {
    kind: listenerRuleSplits,
    rules: { web: rule(1, 'web') },
    weights: { blue: 0, green: 100 },
    clusterNames: { blue: 'apps-blue', green: 'apps-green' },
    settings: { step: 10, every: '2m', bake: undefined },
    checks: defaultChecks,
    lease: undefined,
    roleArn: 'arn:aws:iam::123456789012:role/shift',
  };

  test('of one route is a plan file', () => {
    const plan = parsePlan(JSON.stringify(planSettings(parts)), 'plan.json');
    expect(plan).toMatchObject({
      weights: parts.weights,
      waves: [['traffic']],
      shift: { step: 10, every: '2m' },
    });
    expect(plan.routes.traffic).toEqual({
      router: { albRule: { ruleArn: ruleArn(1), roleArn: parts.roleArn } },
      slots: {
        blue: { targetGroupArn: groupArn('blue-web'), clusterName: 'apps-blue' },
        green: { targetGroupArn: groupArn('green-web'), clusterName: 'apps-green' },
      },
    });
  });

  test('of several routes moves them in one wave', () => {
    const rules = { web: rule(1, 'web'), api: rule(2, 'api') };
    const plan = parsePlan(JSON.stringify(planSettings({ ...parts, rules, lease: 'none' })), 'plan.json');
    expect(plan).toMatchObject({ waves: [['web', 'api']], lease: 'none', slots: ['blue', 'green'] });
  });

  test('holds no kubeconfig, and says so without showing it', () => {
    const text = 'clusters: [hidden]';
    const own = [
      checks.argoApplications({ kubeconfigText: text }),
      checks.kubernetesPods({ namespace: 'web', labels: { a: 'b' }, kubeconfigTexts: { green: text } }),
    ];
    const made = () => planSettings({ ...parts, checks: own });
    expect(made).toThrow(
      /argoApplications\.kubeconfigText: must be left out[^]*kubernetesPods\.kubeconfigTexts: must be left out/,
    );
    expect(made).not.toThrow(/hidden/);
  });

  test('is an output of the component', async () => {
    let traffic!: FleetTraffic;
    await register(
      () =>
        (traffic = new FleetTraffic('apps', {
          fleet: fleetOf('blue', 'green'),
          edge,
          routes: { web, api: { ...web, priority: 11 } },
          weights: { green: 100 },
          shift: { step: 20 },
        })),
    );
    expect(await value(traffic.plan)).toMatchObject({
      routes: {
        web: { slots: { blue: { clusterName: 'apps-blue', targetGroupArn: 'arn:tg/blue-web' } } },
        api: {},
      },
      waves: [['web', 'api']],
      weights: { blue: 0, green: 100 },
      shift: { step: 20, checks: [{ targetHealth: {} }, { capacity: {} }] },
    });
  });
});

test('rules say in a tag which rules of which program they are, with a shift and without', async () => {
  for (const shift of [undefined, false] as const) {
    const seen = await register(
      () =>
        new FleetTraffic('apps', {
          fleet: fleetOf('blue', 'green'),
          edge,
          routes: { web },
          weights: { blue: 100 },
          shift,
          tags: { team: 'web' },
        }),
    );
    expect(seen.one(types.rule).inputs.tags).toEqual({
      'cluster-canary/fleet': 'apps',
      'cluster-canary/rule': 'project/stack/apps-web',
      team: 'web',
    });
  }
});
