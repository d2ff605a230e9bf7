import type { RuleCondition } from '@aws-sdk/client-elastic-load-balancing-v2';
import * as fc from 'fast-check';
import { problemsOf } from '../../../lib/core/validation/schema';
import type { ListenerRule } from '../../../lib/operate/live-traffic/listener-rules';
import { isTestRoute } from '../../../lib/operate/live-traffic/listener-rules';
import { placesBefore, plannedPreviews } from '../../../lib/pulumi/traffic/planned-previews';
import { previewsProblems } from '../../../lib/pulumi/traffic/previews-problems';
import { slotPreview } from '../../../lib/shift/probes';
import { forward } from '../../operate/live-traffic/balancing-world';

const slotName = fc.stringMatching(/^[a-z]([a-z0-9-]{0,6}[a-z0-9])?$/);
const slotNames = fc.uniqueArray(slotName, { minLength: 1, maxLength: 5 });
const host = fc.constantFrom('www.example.com', 'api.example.com', '*.example.com');
const path = fc.constantFrom('/*', '/api/*', '/cart', '*.png', '/a?c/*');
const route = fc.record(
  {
    entry: fc.constant('web'),
    priority: fc.integer({ min: 1, max: 60 }),
    hosts: fc.uniqueArray(host, { minLength: 1, maxLength: 2 }),
    paths: fc.uniqueArray(path, { minLength: 1, maxLength: 2 }),
    headers: fc.constant({ 'x-tenant': ['a*'] }),
  },
  { requiredKeys: ['entry', 'priority', 'hosts'] },
);
const routes = fc.dictionary(fc.constantFrom('web', 'api', 'shop'), route, { minKeys: 1 });
const kinds = fc.constantFrom({ header: 'x-slot' }, { cookie: 'slot' });

test('what is accepted has priorities of its own before its route, and an address that plans take', () => {
  let accepted = 0;
  fc.assert(
    fc.property(slotNames, routes, kinds, (slots, given, by) => {
      const urls = Object.fromEntries(Object.keys(given).map((name) => [name, 'https://a.example.com']));
      const taken = Object.entries(given).map(([name, { priority }]) => [priority, name] as const);
      fc.pre(new Set(taken.map(([priority]) => priority)).size === taken.length);
      const previews = { ...by, ...(accepted % 2 === 0 && { urls }) };
      const around = { slots, routes: given, priorities: new Map(taken) };
      if (previewsProblems(previews, around).length > 0) {
        return;
      }
      accepted += 1;
      const planned = plannedPreviews(previews, slots, given);
      expect(planned).toHaveLength(slots.length * taken.length);
      const all = [...taken.map(([priority]) => priority), ...planned.map(({ priority }) => priority)];
      expect(new Set(all).size).toBe(all.length);
      for (const each of planned) {
        expect(each.priority).toBeGreaterThan(0);
        const { priority } = given[each.route]!;
        expect(each.priority).toBeLessThan(priority);
        // Requests that are for another route go on to it.
        expect(taken.filter(([other]) => other > each.priority && other < priority)).toEqual([]);
        const { url, headers } = each;
        expect(problemsOf(slotPreview, { url, headers: { ...headers, a: 'b' } })).toEqual([]);
      }
    }),
    { numRuns: 300 },
  );
  expect(accepted).toBeGreaterThan(20);
});

test('a slot stays where it is when others come and go, unless one before it has its number', () => {
  fc.assert(
    fc.property(slotNames, (slots) => {
      const places = placesBefore(slots);
      expect(new Set(Object.values(places)).size).toBe(slots.length);
      expect(Object.values(places).every((place) => place >= 1 && place <= 5)).toBe(true);
      const [first] = slots;
      expect(placesBefore([first!])[first!]).toBe(places[first!]);
    }),
  );
  const pairs = [
    ['blue', 'green'],
    ['a', 'b'],
    ['red', 'black'],
    ['one', 'two'],
    ['v1', 'v2'],
    ['active', 'standby'],
    ['stable', 'canary'],
  ];
  for (const [one = '', other = ''] of pairs) {
    const both = placesBefore([one, other]);
    expect({ ...placesBefore([one]), ...placesBefore([other]) }).toEqual(both);
    expect(placesBefore([other, one])).toEqual(both);
  }
});

test('what a program says comes first', () => {
  expect(placesBefore(['blue', 'green'], { green: placesBefore(['blue'])['blue']! })).toMatchObject({
    green: placesBefore(['blue'])['blue'],
  });
  expect(placesBefore(['blue', 'green'], { blue: 40 })['blue']).toBe(40);
});

test('a rule by a header or a cookie is a test route even where nobody may read its tag', () => {
  const conditions: RuleCondition[] = [
    { Field: 'host-header', HostHeaderConfig: { Values: ['www.example.com'] } },
  ];
  const rule = (priority: number, more: RuleCondition[], weights: Record<string, number>): ListenerRule => ({
    ...{ where: String(priority), balancer: 'lb', priority },
    conditions: [...conditions, ...more],
    actions: [forward({ weights })],
  });
  const asks = (HttpHeaderName: string, value: string): RuleCondition => ({
    Field: 'http-header',
    HttpHeaderConfig: { HttpHeaderName, Values: [value] },
  });
  const weighted = rule(10, [], { blue: 100, green: 0 });
  const ofFleet = new Set(
    weighted.actions[0]!.ForwardConfig!.TargetGroups!.map((each) => each.TargetGroupArn!),
  );
  for (const condition of [asks('x-slot', 'green'), asks('Cookie', '*slot=green*')]) {
    const preview = rule(9, [condition], { green: 1 });
    expect(isTestRoute(preview, [preview, weighted], ofFleet)).toBe(true);
  }
});
