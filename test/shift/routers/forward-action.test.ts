import type { Action } from '@aws-sdk/client-elastic-load-balancing-v2';
import fc from 'fast-check';
import {
  forwardTo,
  forwardWithout,
  readForward,
} from '../../../lib/shift/routers/load-balancer/forward-action';
import { blueArn, greenArn, groupArn, targetGroupArns } from './arns';

const forward = (...weights: [arn: string, weight: number | undefined][]): Action => ({
  Type: 'forward',
  ForwardConfig: {
    TargetGroups: weights.map(([TargetGroupArn, Weight]) => ({ TargetGroupArn, Weight })),
    TargetGroupStickinessConfig: { Enabled: false },
  },
});

const oidc: Action = {
  Type: 'authenticate-oidc',
  Order: 1,
  AuthenticateOidcConfig: {
    Issuer: 'https://id.example.com',
    AuthorizationEndpoint: 'https://id.example.com/authorize',
    TokenEndpoint: 'https://id.example.com/token',
    UserInfoEndpoint: 'https://id.example.com/user',
    ClientId: 'client',
    SessionTimeout: 3_600,
  },
};

describe('reading', () => {
  test.each<[string, Action, object]>([
    [
      'whole percents',
      forward([blueArn, 90], [greenArn, 10]),
      { weights: { blue: 90, green: 10 }, missing: [] },
    ],
    [
      'another scale',
      forward([blueArn, 1], [greenArn, 9]),
      { weights: { blue: 10, green: 90 }, missing: [] },
    ],
    [
      'a slot that is not there',
      forward([blueArn, 1]),
      { weights: { blue: 100, green: 0 }, missing: ['green'] },
    ],
    [
      'a single target group as AWS reads it',
      {
        Type: 'forward',
        TargetGroupArn: blueArn,
        ForwardConfig: { TargetGroups: [{ TargetGroupArn: blueArn, Weight: 1 }] },
      },
      { weights: { blue: 100, green: 0 }, missing: ['green'] },
    ],
    [
      'a single target group without a weight',
      { Type: 'forward', TargetGroupArn: blueArn },
      { weights: { blue: 100, green: 0 }, missing: ['green'] },
    ],
    [
      'a target group of no slot at 0',
      forward([blueArn, 100], [greenArn, 0], [groupArn(9), 0]),
      {
        weights: { blue: 100, green: 0 },
        missing: [],
        notes: [`keeps ${groupArn(9)}, which is of no slot, at 0`],
      },
    ],
  ])('%s', (_, action, expected) => {
    expect(readForward([action], targetGroupArns)).toMatchObject(expected);
  });

  test.each<[string, readonly Action[], RegExp, object?]>([
    [
      'no whole percents',
      [forward([blueArn, 1], [greenArn, 2])],
      /no whole percents .*set them once to blue 33/,
      { blue: 1, green: 2 },
    ],
    [
      'all 0',
      [forward([blueArn, 0], [greenArn, 0])],
      /every weight is 0 \(blue 0, green 0\), so nothing is/,
      { blue: 0, green: 0 },
    ],
    [
      'traffic that goes elsewhere',
      [forward([blueArn, 50], [groupArn(9), 50])],
      /a target group of no slot: .*group-9.* \(weight 50\); make a slot of it/,
    ],
    [
      'only another target group',
      [{ Type: 'forward', TargetGroupArn: groupArn(9) }],
      /a target group of no slot: .*group-9/,
    ],
    ['no forward', [oidc, { Type: 'fixed-response' }], /does authenticate-oidc, fixed-response$/],
    ['no action', [], /does nothing$/],
  ])('%s is unfit', (_, actions, expected, ...[raw]) => {
    expect(readForward(actions, targetGroupArns)).toEqual({
      failure: 'unfit',
      why: expect.stringMatching(expected),
      ...(raw && { raw }),
    });
  });

  test('says what every write keeps', () => {
    const sticky = forward([blueArn, 100], [greenArn, 0]);
    sticky.ForwardConfig!.TargetGroupStickinessConfig = { Enabled: true, DurationSeconds: 600 };
    expect(readForward([oidc, sticky], targetGroupArns)).toMatchObject({
      notes: ['keeps the action authenticate-oidc', 'keeps the stickiness of 600 s'],
    });
  });
});

describe('writing', () => {
  test('a single target group becomes a list, without the second place', () => {
    const read: Action = {
      Type: 'forward',
      Order: 2,
      TargetGroupArn: blueArn,
      ForwardConfig: { TargetGroups: [{ TargetGroupArn: blueArn, Weight: 1 }] },
    };
    expect(forwardTo([oidc, read], targetGroupArns, { blue: 99, green: 1 })).toEqual([
      {
        ...oidc,
        AuthenticateOidcConfig: { ...oidc.AuthenticateOidcConfig, UseExistingClientSecret: true },
      },
      {
        Type: 'forward',
        Order: 2,
        ForwardConfig: {
          TargetGroups: [
            { TargetGroupArn: blueArn, Weight: 99 },
            { TargetGroupArn: greenArn, Weight: 1 },
          ],
        },
      },
    ]);
  });

  test('a client secret is never sent', () => {
    const read = {
      ...oidc,
      AuthenticateOidcConfig: { ...oidc.AuthenticateOidcConfig!, ClientSecret: 'hidden' },
    };
    const written = forwardTo([read, forward([blueArn, 1])], targetGroupArns, { blue: 99, green: 1 });
    expect(JSON.stringify(written)).not.toContain('hidden');
  });

  test('weights that are no whole percents can be mended', () => {
    expect(
      forwardTo([forward([blueArn, 1], [greenArn, 2])], targetGroupArns, { blue: 33, green: 67 }),
    ).toEqual([forward([blueArn, 33], [greenArn, 67])]);
  });

  test.each<[string, Action, RegExp]>([
    [
      'a sixth target group',
      forward([blueArn, 100], [groupArn(6), 0], [groupArn(7), 0], [groupArn(8), 0], [groupArn(9), 0]),
      /6 target groups, and AWS takes 5 at most; take off those of no slot: .*group-6.*group-9/,
    ],
    ['traffic that goes elsewhere', forward([blueArn, 50], [groupArn(9), 50]), /target group of no slot/],
  ])('%s is refused', (_, action, expected) => {
    expect(forwardTo([action], targetGroupArns, { blue: 90, green: 10 })).toEqual({
      failure: 'unfit',
      why: expect.stringMatching(expected),
    });
  });
});

describe('taking a slot off', () => {
  test('leaves all else as it was read', () => {
    const read = forward([blueArn, 0], [greenArn, 7], [groupArn(9), 0]);
    expect(forwardWithout([oidc, read], targetGroupArns, 'blue')).toEqual([
      {
        ...oidc,
        AuthenticateOidcConfig: { ...oidc.AuthenticateOidcConfig, UseExistingClientSecret: true },
      },
      forward([greenArn, 7], [groupArn(9), 0]),
    ]);
  });

  test('is nothing where it does not stand there', () => {
    expect(forwardWithout([forward([greenArn, 1])], targetGroupArns, 'blue')).toBeUndefined();
  });

  test.each<[string, Action, RegExp]>([
    ['with traffic', forward([blueArn, 1], [greenArn, 99]), /slot blue has traffic \(weight 1\)/],
    ['beside traffic that goes elsewhere', forward([blueArn, 0], [groupArn(9), 50]), /of no slot/],
  ])('%s is refused', (_, action, expected) => {
    const refused = { failure: 'unfit', why: expect.stringMatching(expected) };
    expect(forwardWithout([action], targetGroupArns, 'blue')).toEqual(refused);
  });
});

/** Weights in whole percent of so many slots. */
const percents = (slots: number) =>
  fc
    .array(fc.integer({ min: 0, max: 100 }), { minLength: slots - 1, maxLength: slots - 1 })
    .map((cuts) => [0, ...cuts.sort((one, other) => one - other), 100])
    .map((places) => places.slice(1).map((place, index) => place - places[index]!));

const rules = fc.integer({ min: 2, max: 5 }).chain((slots) =>
  fc.record({
    wanted: percents(slots),
    present: fc.subarray([...Array(slots).keys()], { minLength: 1 }),
    weights: fc.array(fc.integer({ min: 0, max: 999 }), { minLength: 5, maxLength: 5 }),
    foreign: fc.integer({ min: 0, max: 5 - slots }),
    authenticates: fc.boolean(),
    sticky: fc.option(fc.integer({ min: 1, max: 604_800 })),
  }),
);

test('what was written is read again, whatever stood there, and all else stays', () => {
  fc.assert(
    fc.property(rules, ({ wanted, present, weights, foreign, authenticates, sticky }) => {
      const slots = Object.fromEntries(wanted.map((_, index) => [`slot-${index}`, groupArn(index)]));
      const percent = Object.fromEntries(wanted.map((weight, index) => [`slot-${index}`, weight]));
      const before = forward(
        ...present.map((index): [string, number] => [groupArn(index), weights[index]!]),
        ...[...Array(foreign).keys()].map((index): [string, number] => [groupArn(100 + index), 0]),
      );
      before.Order = 2;
      before.ForwardConfig!.TargetGroupStickinessConfig =
        sticky === null ? { Enabled: false } : { Enabled: true, DurationSeconds: sticky };
      const actions = authenticates ? [oidc, before] : [before];
      const written = forwardTo(actions, slots, percent) as Action[];
      expect(readForward(written, slots)).toMatchObject({ weights: percent, missing: [] });
      const last = written.at(-1)!;
      const { TargetGroups: tuples, ...config } = last.ForwardConfig!;
      expect({ ...last, ForwardConfig: config }).toEqual({
        ...before,
        ForwardConfig: { TargetGroupStickinessConfig: before.ForwardConfig!.TargetGroupStickinessConfig },
      });
      expect(tuples!.length).toBeLessThanOrEqual(5);
      expect(
        tuples!.slice(present.length, present.length + foreign).every(({ Weight }) => Weight === 0),
      ).toBe(true);
      expect(written.length).toBe(actions.length);
      // A second write of the same weights changes nothing.
      expect(forwardTo(written, slots, percent)).toEqual(written);
    }),
  );
});
