import type { SplitShift } from '../../../../lib/pulumi/traffic/shift/split-kind';
import { ruleTag } from '../../../../lib/core/names';
import type { CheckWindow } from '../../../../lib/shift/engine';
import { groupArn, listenerArn, otherListenerArn } from './fake-load-balancer';
import { groups, web, api, webRule, apiRule, blue100, stateOf, due, setting, check } from './shift-setting';
import type { Unfinished } from './shift-setting';

describe('before the update of a rule', () => {
  test('the traffic walks to the wanted weights', async () => {
    const { traffic, balancer, lines, greens } = setting();
    await traffic.beforeUpdate(due());
    expect(greens()).toEqual([10, 50, 100]);
    expect(balancer.weightsOf(webRule)).toEqual({ [groups('web').blue]: 0, [groups('web').green]: 100 });
    expect(lines.filter((line) => line.startsWith('progress'))).toContainEqual(
      expect.stringMatching(/step 2 of 3, blue 50, green 50, .* to go$/),
    );
    expect(balancer.closed).toBeGreaterThan(0);
  });

  test('live weights that are the wanted ones already are not written again', async () => {
    const { traffic, greens } = setting({ live: { [groups('web').blue]: 0, [groups('web').green]: 100 } });
    await traffic.beforeUpdate(due());
    expect(greens()).toEqual([]);
  });

  test('a failed check takes the traffic back, and the update fails with check, figures, slot and weights', async () => {
    const { traffic, balancer, greens } = setting();
    balancer.checks = [check((green) => (green >= 50 ? 'fail' : 'pass'))];
    const failed = traffic.beforeUpdate(due());
    await expect(failed).rejects.toThrow(/FleetTraffic "apps" was rolled back/);
    await expect(failed).rejects.toThrow(/errors[^]*error share of green 5 % \(at most 1 %\)/);
    await expect(failed).rejects.toThrow(/Live weights: blue 100, green 0;/);
    expect(greens()).toEqual([10, 50, 0]);
  });

  test('a shift that goes on after a kill rolls back to the weights in the state, without a record', async () => {
    const { traffic, balancer, greens } = setting({
      live: { [groups('web').blue]: 50, [groups('web').green]: 50 },
    });
    balancer.checks = [check(() => 'fail')];
    await expect(traffic.beforeUpdate({ ...due(), before: stateOf(blue100('web')) })).rejects.toThrow(
      /rolled back[^]*before the shift: blue 100, green 0/,
    );
    expect(greens()).toEqual([0]);
  });

  test('an unfinished shift is taken back in one write where up is to do so, whatever the checks say', async () => {
    const { traffic, balancer, greens } = setting({
      shift: { wanted: { blue: 100, green: 0 } },
      live: { [groups('web').blue]: 50, [groups('web').green]: 50 },
    });
    const [origin, half] = [
      { blue: 100, green: 0 },
      { blue: 50, green: 50 },
    ];
    balancer.record = {
      origin,
      wanted: { blue: 0, green: 100 },
      written: half,
      before: [half],
      startedAt: 5,
    };
    balancer.checks = [check(() => 'inconclusive', ['before', 'after'])];
    balancer.takesBack = true;
    await traffic.beforeUpdate(due());
    expect(greens()).toEqual([0]);
  });

  test('settings of the way forward alone do not keep traffic where up is to take it back', async () => {
    const { traffic, balancer, greens } = setting({
      shift: {
        wanted: { blue: 100, green: 0 },
        settings: {
          ...{ step: [50], every: '1m', bake: '1m', pause: [50], deadline: '1s' },
          onFailure: { rollbackTo: 'blue' },
        },
      },
      live: { [groups('web').blue]: 0, [groups('web').green]: 100 },
    });
    balancer.takesBack = true;
    await traffic.beforeUpdate(due());
    expect(greens()).toEqual([50, 0]);
  });

  test('a slot that is new is on the rule at 0 before its first percent, and the checks are asked before it', async () => {
    const { traffic, balancer } = setting();
    balancer.set(webRule, { [groups('web').blue]: 100 });
    let seen: Record<string, number> | undefined;
    balancer.checks = [
      check(() => {
        seen ??= balancer.weightsOf(webRule);
        return 'pass';
      }, ['before']),
    ];
    await traffic.beforeUpdate(due());
    expect(seen).toEqual(blue100('web'));
    expect(balancer.writes[0]!.weights).toEqual({ blue: 100, green: 0 });
  });

  test('a slot that leaves with traffic is shifted away first', async () => {
    const red = groupArn('red-web');
    const { traffic, balancer } = setting({
      shift: { rules: [web], wanted: { blue: 100, green: 0 } },
      live: { [groups('web').blue]: 40, [red]: 60 },
    });
    balancer.groupTags.set(red, { 'cluster-canary/slot': 'red' });
    await traffic.beforeUpdate(due());
    expect(balancer.writes.map(({ weights }) => weights.red)).toEqual([54, 30, 0]);
    expect(balancer.subjects[0]).toMatchObject({
      slots: { blue: { clusterName: 'apps-blue' }, red: { targetGroupArn: red } },
    });
  });

  test('a pause holds it, and says how a person lets it go on', async () => {
    const settings = { step: [10, 50], every: '1m', bake: '1m', pause: [50] };
    const held = setting({ shift: { settings } });
    await expect(held.traffic.beforeUpdate(due())).rejects.toThrow(/set resumedTo: 50 .* and run pulumi up/);
    expect(held.greens()).toEqual([10, 50]);
    const resumed = setting({ shift: { settings, resumedTo: 50 } });
    await resumed.traffic.beforeUpdate(due());
    expect(resumed.greens()).toEqual([10, 50, 100]);
  });

  test('a rule with one slot needs no shift', async () => {
    const only = { ...web, targets: { blue: groups('web').blue } };
    const { traffic, balancer } = setting({ shift: { rules: [only], wanted: { blue: 100 } } });
    balancer.add({
      id: webRule,
      tags: { [ruleTag]: web.tag },
      targets: [{ arn: groups('web').blue, weight: 100 }],
    });
    await traffic.beforeUpdate(due());
    expect(balancer.writes).toEqual([]);
  });

  test('somebody else who writes stops it, and nothing is written over that', async () => {
    const { traffic, balancer, greens } = setting();
    balancer.checks = [
      check((green) => {
        if (green === 10) {
          balancer.set(webRule, { [groups('web').blue]: 70, [groups('web').green]: 30 });
        }
        return 'pass';
      }),
    ];
    await expect(traffic.beforeUpdate(due())).rejects.toThrow(/Another process changed the weights/);
    expect(greens()).toEqual([10]);
  });

  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('%s holds it', async (signal) => {
    const { traffic, balancer, interrupts, greens } = setting();
    balancer.checks = [
      check((green) => {
        if (green === 50) {
          interrupts.emit(signal);
        }
        return 'pass';
      }),
    ];
    await expect(traffic.beforeUpdate(due())).rejects.toThrow(/was held[^]*Live weights: blue 50, green 50/);
    expect(greens()).toEqual([10, 50]);
    expect(interrupts.listenerCount(signal)).toBe(0);
  });
});

const both: Partial<SplitShift> = { rules: [web, api] };

describe('rules that move together', () => {
  test('are one shift, whichever hook comes first', async () => {
    const { traffic, greens, balancer } = setting({ shift: both });
    await Promise.all([traffic.beforeUpdate(due(api.tag, apiRule)), traffic.beforeUpdate(due())]);
    expect(greens(webRule)).toEqual([10, 50, 100]);
    expect(greens(apiRule)).toEqual([10, 50, 100]);
    expect(balancer.subjects).toHaveLength(2);
  });

  test('have a lease each, in an order that is the same for everybody', async () => {
    const { traffic, balancer } = setting({ shift: { rules: [api, web] } });
    await traffic.beforeUpdate(due(api.tag, apiRule));
    expect(balancer.leased).toEqual([webRule, apiRule]);
  });

  test('fail with the same error', async () => {
    const { traffic, balancer, greens } = setting({ shift: both });
    balancer.checks = [check(() => 'fail')];
    const errors = await Promise.all(
      [due(), due(api.tag, apiRule)].map((each) => traffic.beforeUpdate(each).catch((error: Error) => error)),
    );
    expect(errors[0]).toBeInstanceOf(Error);
    expect(errors[1]).toBe(errors[0]);
    expect([greens(webRule), greens(apiRule)]).toEqual([
      [10, 0],
      [10, 0],
    ]);
  });

  test('that a kill left apart go on together', async () => {
    const { traffic, balancer, greens } = setting({ shift: both });
    balancer.set(webRule, { [groups('web').blue]: 90, [groups('web').green]: 10 });
    await traffic.beforeUpdate({ ...due(), before: stateOf(blue100('web')) });
    expect([greens(webRule), greens(apiRule)]).toEqual([
      [50, 100],
      [10, 50, 100],
    ]);
  });

  test('are shifted once more for a rule that the first run could not find', async () => {
    const { traffic, balancer, greens } = setting({ shift: both });
    const { targets, ...rest } = balancer.rules[1]!;
    balancer.rules[1] = { ...rest, targets, tags: {}, priority: 99 };
    await Promise.all([traffic.beforeUpdate(due()), traffic.beforeUpdate(due(api.tag, apiRule))]);
    expect([greens(webRule), greens(apiRule)]).toEqual([
      [10, 50, 100],
      [10, 50, 100],
    ]);
  });
});

describe('before a rule is created', () => {
  const created = { tag: api.tag, place: listenerArn };

  test('the rules that move with it are shifted', async () => {
    const { traffic, balancer, greens } = setting({ shift: { rules: [web, api] } });
    balancer.rules.pop();
    await traffic.beforeCreate(created);
    expect(greens(webRule)).toEqual([10, 50, 100]);
  });

  test('a part of a rule that is there already is a slot that comes: the rule is shifted', async () => {
    const { traffic, lines, greens } = setting();
    await traffic.beforeCreate({ tag: web.tag, place: listenerArn, partOf: webRule });
    expect(greens()).toEqual([10, 50, 100]);
    expect(lines.join('\n')).not.toMatch(/takes traffic to green at once/);
  });

  test('the parts of a rule of which none was there are made as they are wanted', async () => {
    const { traffic, balancer, lines } = setting();
    const [rule] = balancer.rules.splice(0);
    const part = { tag: web.tag, place: listenerArn, partOf: webRule };
    await traffic.beforeCreate(part);
    // The first one is made, and has all of the traffic while it is alone.
    balancer.rules.push(rule!);
    await traffic.beforeCreate(part);
    expect(balancer.writes).toEqual([]);
    expect(lines.filter((line) => line.includes('at once'))).toHaveLength(1);
  });

  const pods = { kubernetesPods: { namespace: 'podinfo', labels: { app: 'podinfo' } } } as never;

  test('its slots have to be ready', async () => {
    const { traffic, balancer, clock } = setting({ shift: { rules: [api], checks: [pods] } });
    balancer.rules.length = 0;
    const started = clock.time;
    const windows: CheckWindow[] = [];
    balancer.checks = [
      check(
        (_green, window) => {
          windows.push(window);
          return clock.time - started < 60_000 ? 'inconclusive' : 'pass';
        },
        ['before'],
      ),
    ];
    await traffic.beforeCreate(created);
    expect(clock.time - started).toBe(60_000);
    expect(windows[0]).toMatchObject({
      stage: 'before',
      live: { blue: 0, green: 0 },
      next: { blue: 0, green: 100 },
    });
  });

  test('one that never gets ready is refused', async () => {
    const { traffic, balancer } = setting({ shift: { rules: [api], checks: [pods] } });
    balancer.rules.length = 0;
    balancer.checks = [check(() => 'fail', ['before'])];
    await expect(traffic.beforeCreate(created)).rejects.toThrow(/not ready: errors: too many errors/);
  });

  test('without such a check it goes through, and says so', async () => {
    const { traffic, balancer, lines } = setting({ shift: { rules: [api] } });
    balancer.rules.length = 0;
    await traffic.beforeCreate(created);
    expect(lines.join('\n')).toMatch(/takes traffic to green at once: no check says/);
  });

  test.each<[string, Record<string, number>, boolean]>([
    ['whose weights are the wanted ones', { blue: 0, green: 100 }, true],
    ['whose weights are others', { blue: 60, green: 40 }, false],
  ])('in the place of one %s', async (_what, { blue, green }, through) => {
    const { traffic } = setting({ live: { [groups('web').blue]: blue!, [groups('web').green]: green! } });
    const moved = traffic.beforeCreate({ tag: web.tag, place: otherListenerArn });
    await (through
      ? expect(moved).resolves.toBeUndefined()
      : expect(moved).rejects.toThrow(/would be replaced[^]*blue 60, green 40[^]*Shift first/));
  });
});

test.each([
  ['whose weights are the wanted ones', 0, true],
  ['whose weights are others', 60, false],
])('a rule that others shift takes the place of one %s', async (_what, blue, through) => {
  const { blue: one, green: other } = groups('web');
  const { traffic } = setting({ live: { [one]: blue, [other]: 100 - blue } });
  const made = traffic.beforeCreateByOthers({ tag: web.tag, place: otherListenerArn });
  await (through
    ? expect(made).resolves.toBeUndefined()
    : expect(made).rejects.toThrow(/would be replaced[^]*blue 60, green 40[^]*Shift first/));
  // A rule that takes no other's place is created.
  await traffic.beforeCreateByOthers({ tag: 'p/dev/new', place: otherListenerArn });
});

describe('in a preview', () => {
  test('the steps and the least time are told once, and nothing is written', async () => {
    const { traffic, balancer, lines } = setting({ shift: { rules: [web, api] } });
    await Promise.all([traffic.preview(due()), traffic.preview(due(api.tag, apiRule))]);
    expect(lines).toEqual([
      [
        'info: FleetTraffic "apps": up would shift the traffic from blue 100, green 0, in 4m at least:',
        '  at     0s: blue 90, green 10',
        '  at     1m: blue 50, green 50',
        '  at     2m: blue 0, green 100',
        '  at     3m: bakes for 1m',
      ].join('\n'),
    ]);
    expect(balancer.writes).toEqual([]);
  });

  test('of a rule that is new beside others, the steps of these are told', async () => {
    const { traffic, balancer, lines } = setting({ shift: both });
    balancer.rules.pop();
    await traffic.preview({ tag: api.tag, place: listenerArn });
    expect(lines[0]).toMatch(/up would shift the traffic from blue 100, green 0, in 4m at least/);
  });

  test('the time that a write takes is counted', async () => {
    const { traffic, balancer, lines } = setting();
    balancer.writeMilliseconds = 60_000;
    await traffic.preview(due());
    expect(lines[0]).toMatch(/in 7m at least/);
  });

  test.each([[true], [false]])('a shift that is to have no checks (%s) warns', async (unchecked) => {
    const { traffic, lines } = setting({ shift: { unchecked } });
    await traffic.preview(due());
    const warned = lines.filter((line) => line.startsWith('warn: FleetTraffic "apps": there are no checks'));
    expect(warned).toHaveLength(unchecked ? 1 : 0);
  });

  test('it says what a step waits for', async () => {
    const { traffic, balancer, lines } = setting();
    balancer.waits = ['a request to blue may last 300 s'];
    await traffic.preview(due());
    expect(lines[0]).toMatch(/\n {2}it takes its time: a request to blue may last 300 s$/);
  });

  test('a long shift is told to leave the lock alone', async () => {
    const { traffic, lines } = setting({ shift: { settings: { every: '10m' } } });
    await traffic.preview(due());
    expect(lines[1]).toMatch(/^warn: .*lock for 1h20m or longer.*runBy: 'workflow'/);
  });

  test('a target group that up would make has nothing yet', async () => {
    const unknown = { ...web, targets: { blue: groups('web').blue } as never };
    const { traffic, balancer, lines } = setting({ shift: { rules: [unknown] } });
    balancer.add({
      id: webRule,
      tags: { [ruleTag]: web.tag },
      targets: [{ arn: groups('web').blue, weight: 1 }],
    });
    await traffic.preview(due());
    expect(lines[0]).toMatch(/from blue 100, green 0, in 4m at least/);
  });

  test.each([
    [
      'goes on',
      { wanted: { blue: 0, green: 100 } },
      /at least:\n {2}up would go on with an unfinished shift\n/,
    ],
    ['is given up', { wanted: { blue: 30, green: 70 } }, /\n {2}An unfinished shift .* is given up/],
    [
      'is rolled back',
      { wanted: { blue: 0, green: 100 }, rollingBack: true },
      /^info: FleetTraffic "apps": up would first finish a rollback, to blue 100, green 0$/,
    ],
    [
      'is not explained',
      {
        wanted: { blue: 0, green: 100 },
        written: { blue: 10, green: 90 },
        before: [{ green: 80, blue: 20 }],
      },
      /up would fail: An unfinished shift was to go on/,
    ],
    [
      'is taken back',
      { wanted: { blue: 0, green: 100 }, takesBack: true },
      /^info: FleetTraffic "apps": up would take an unfinished shift back at once, to blue 100, green 0$/,
    ],
  ])(
    'an unfinished shift %s, and the preview says so',
    async (_what, { takesBack, ...change }: Unfinished, said) => {
      const { traffic, balancer, lines } = setting({
        shift: takesBack ? { wanted: { blue: 100, green: 0 } } : {},
        live: { [groups('web').blue]: 60, [groups('web').green]: 40 },
      });
      balancer.takesBack = takesBack ?? false;
      const origin = { blue: 100, green: 0 };
      const before = [{ blue: 60, green: 40 }];
      balancer.record = { origin, before, written: origin, startedAt: 5, ...change };
      await traffic.preview(due());
      expect(lines[0]).toMatch(said);
    },
  );

  test('AWS that does not answer is a warning', async () => {
    const { traffic, balancer, lines } = setting();
    balancer.rules.length = 0;
    Object.defineProperty(balancer, 'rules', {
      get: () => {
        throw new Error('no right');
      },
    });
    await traffic.preview(due());
    expect(lines).toEqual([expect.stringMatching(/^warn: .*not known what up would do.*no right/)]);
  });
});
