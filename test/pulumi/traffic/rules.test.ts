import { object } from '../../../lib/core/validation/collections';
import { problemsOf } from '../../../lib/core/validation/schema';
import * as fc from 'fast-check';
import { InvalidInput, networkCidr } from '../../../lib/core/validation';
import type { Entry } from '../../../lib/pulumi/fleet';
import { targetPorts } from '../../../lib/pulumi/traffic';
import type { RuleConditions } from '../../../lib/pulumi/traffic';
import { firstGroup } from '../../../lib/pulumi/traffic/ingress-rules';
import {
  ruleConditionsEntries,
  withConditions,
  listenerConditions,
  wildcards,
} from '../../../lib/pulumi/traffic/rule-conditions';
import { targetGroupArn } from '../../../lib/pulumi/traffic/target-groups';
import { fullWeights } from '../../../lib/shift/engine';

const refused = (make: () => unknown): string[] => {
  try {
    make();
  } catch (error) {
    expect(error).toBeInstanceOf(InvalidInput);
    return (error as InvalidInput).message.split('\n').slice(1);
  }
  throw new Error('nothing was refused');
};

describe('weights', () => {
  test.each([
    [['only'], undefined, { only: 100 }],
    [['only'], {}, { only: 100 }],
    [['only'], { only: 100 }, { only: 100 }],
    [['blue', 'green'], { blue: 100 }, { blue: 100, green: 0 }],
    [['blue', 'green'], { blue: 0, green: 100 }, { blue: 0, green: 100 }],
    [['a', 'b', 'c', 'd', 'e'], { b: 33, d: 67 }, { a: 0, b: 33, c: 0, d: 67, e: 0 }],
  ])('of %p given as %p are %p', (slots, given, full) => {
    expect(fullWeights(slots, given)).toEqual(full);
    expect(Object.keys(fullWeights(slots, given))).toEqual(slots);
  });

  test.each([
    [{ blue: 90 }, ['  weights: {"blue":90}: must be whole percents that add up to 100; these add up to 90']],
    [
      { blue: 60, green: 60 },
      ['  weights: {"blue":60,"green":60}: must be whole percents that add up to 100; these add up to 120'],
    ],
    [undefined, ['  weights: nothing: must be whole percents that add up to 100; these add up to 0']],
    [
      { blue: -10, green: 110 },
      [
        '  weights.blue: -10: must be a whole percent from 0 to 100',
        '  weights.green: 110: must be a whole percent from 0 to 100',
      ],
    ],
    [
      { blue: 99.5, green: 0.5 },
      [
        '  weights.blue: 99.5: must be a whole percent from 0 to 100',
        '  weights.green: 0.5: must be a whole percent from 0 to 100',
      ],
    ],
    [{ blue: 90, purple: 10 }, ['  weights.purple: 10: must be left out: the slots are blue, green']],
    [
      { blue: 50, purple: 20 },
      [
        '  weights.purple: 20: must be left out: the slots are blue, green',
        '  weights: {"blue":50,"purple":20}: must be whole percents that add up to 100; these add up to 70',
      ],
    ],
    [{ blue: '100' as unknown as number }, ['  weights.blue: "100": must be a whole percent from 0 to 100']],
    [{ blue: NaN, green: 100 }, ['  weights.blue: NaN: must be a whole percent from 0 to 100']],
  ])('%p of two slots are refused', (given, lines) => {
    expect(refused(() => fullWeights(['blue', 'green'], given))).toEqual(lines);
  });

  test('of a slot that is alone still have to be right where they are given', () => {
    expect(refused(() => fullWeights(['blue'], { blue: 90 }))).toHaveLength(1);
    expect(refused(() => fullWeights(['blue'], { green: 100 }))).toEqual([
      '  weights.green: 100: must be left out: the slots are blue',
    ]);
  });

  const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c', 'd', 'e', 'constructor', 'toString'), {
    minLength: 1,
    maxLength: 5,
  });

  test('any split of 100 is taken as it is, and what is left out is 0', () => {
    fc.assert(
      fc.property(names, fc.infiniteStream(fc.nat(100)), fc.boolean(), (slots, cuts, leaveOut) => {
        const ends = [...slots.slice(1).map(() => cuts.next().value), 100].sort((one, other) => one - other);
        const split = Object.fromEntries(slots.map((slot, at) => [slot, ends[at]! - (ends[at - 1] ?? 0)]));
        const given = Object.fromEntries(
          Object.entries(split).filter(([, weight]) => !leaveOut || weight > 0),
        );
        expect(fullWeights(slots, given)).toEqual(split);
      }),
    );
  });

  test('whatever is given, the answer adds up to 100 over just the slots, or it is refused', () => {
    const weights = fc.dictionary(
      fc.constantFrom('a', 'b', 'c', 'other'),
      fc.oneof(fc.integer({ min: -5, max: 105 }), fc.constantFrom(0, 50, 100), fc.double()),
    );
    fc.assert(
      fc.property(names, weights, (slots, given) => {
        let full;
        try {
          full = fullWeights(slots, given);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidInput);
          const sum = Object.values(given).reduce((total, weight) => total + weight, 0);
          const sound = Object.entries(given).every(
            ([slot, weight]) => slots.includes(slot) && Number.isInteger(weight) && weight >= 0,
          );
          expect(sound && sum === 100).toBe(false);
          return;
        }
        expect(Object.keys(full).sort()).toEqual([...slots].sort());
        expect(Object.values(full).reduce((total, weight) => total + weight, 0)).toBe(100);
        expect(Object.values(full).every((weight) => Number.isInteger(weight) && weight >= 0)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

describe('conditions', () => {
  const schema = withConditions(object<RuleConditions>(ruleConditionsEntries));
  const conditionProblems = (conditions: RuleConditions) => problemsOf(schema, conditions);
  const wrong = (conditions: RuleConditions) =>
    conditionProblems(conditions).map(({ path, allowed }) => `${path}: ${allowed}`);

  test('of every kind at once become one condition each, and one for each header', () => {
    const conditions: RuleConditions = {
      hosts: ['www.example.com'],
      methods: ['GET'],
      sourceIps: ['10.0.0.0/8'],
      headers: { 'X-Canary': ['yes'] },
      queryStrings: [{ key: 'version', value: 'v1' }],
    };
    expect(conditionProblems(conditions)).toEqual([]);
    expect(listenerConditions(conditions)).toEqual([
      { hostHeader: { values: ['www.example.com'] } },
      { httpRequestMethod: { values: ['GET'] } },
      { sourceIp: { values: ['10.0.0.0/8'] } },
      { httpHeader: { httpHeaderName: 'X-Canary', values: ['yes'] } },
      { queryStrings: [{ key: 'version', value: 'v1' }] },
    ]);
    expect(listenerConditions({ paths: ['/a/*', '/b'], headers: { A: ['1', '2'], B: ['3'] } })).toEqual([
      { pathPattern: { values: ['/a/*', '/b'] } },
      { httpHeader: { httpHeaderName: 'A', values: ['1', '2'] } },
      { httpHeader: { httpHeaderName: 'B', values: ['3'] } },
    ]);
    expect(listenerConditions({ queryStrings: [{ value: '*example*' }] })).toEqual([
      { queryStrings: [{ key: undefined, value: '*example*' }] },
    ]);
  });

  test.each<[string, RuleConditions]>([
    ['hosts', { hosts: ['*.example.com', 'a_b.example.com', `${'a'.repeat(124)}.com`] }],
    ['paths', { paths: ['/*', '*.php', `/${'a'.repeat(127)}`] }],
    ['methods', { methods: ['GET', 'CUSTOM-METHOD', 'A'.repeat(40)] }],
    ['networks', { sourceIps: ['0.0.0.0/0', '198.51.100.10/32', '2001:db8::/32'] }],
    ['headers', { headers: { [`x-${'a'.repeat(38)}`]: ['*Chrome*', 'a b', 'x'.repeat(128)] } }],
    ['query strings', { queryStrings: [{ key: 'k*', value: 'a=b' }, { value: '%20' }] }],
    ['five values', { hosts: ['a.example.com', 'b.example.com'], paths: ['/a', '/b', '/c'] }],
    ['five wildcards', { paths: ['/*/*/*', '/??'] }],
    ['wildcards that are escaped', { headers: { a: ['\\*\\*\\*\\?\\?\\?'] } }],
  ])('with %s as far as AWS goes are accepted', (_what, conditions) => {
    expect(wrong(conditions)).toEqual([]);
  });

  test.each<[string, RuleConditions, string[]]>([
    ['none', {}, ['conditions']],
    ['an empty list', { hosts: [] }, ['hosts']],
    ['a text instead of a list', { hosts: 'a.example.com' as unknown as string[] }, ['hosts']],
    ['no header', { headers: {} }, ['headers']],
    ['a header without values', { headers: { a: [] } }, ['headers.a']],
    ['no query string', { queryStrings: [] }, ['queryStrings']],
    ['a host without a dot', { hosts: ['localhost'] }, ['hosts[0]']],
    ['a host with a port', { hosts: ['example.com:8443'] }, ['hosts[0]']],
    ['a wildcard behind the last dot', { hosts: ['example.*'] }, ['hosts[0]']],
    ['a long host', { hosts: [`${'a'.repeat(125)}.com`] }, ['hosts[0]']],
    ['a relative path', { paths: ['img/*'] }, ['paths[0]']],
    ['a path with a query', { paths: ['/a=b'] }, ['paths[0]']],
    ['a long path', { paths: [`/${'a'.repeat(128)}`] }, ['paths[0]']],
    ['a method in small letters', { methods: ['get'] }, ['methods[0]']],
    ['a method with a wildcard', { methods: ['*'] }, ['methods[0]']],
    ['an address without prefix', { sourceIps: ['10.0.0.1'] }, ['sourceIps[0]']],
    ['the broadcast address', { sourceIps: ['255.255.255.255/32'] }, ['sourceIps[0]']],
    ['the Host header', { headers: { HOST: ['a'] } }, ['headers.HOST']],
    ['a wildcard in a header name', { headers: { 'x-*': ['a'] } }, ['headers.x-*']],
    ['a long header name', { headers: { ['a'.repeat(41)]: ['a'] } }, [`headers.${'a'.repeat(41)}`]],
    ['an empty header value', { headers: { a: [''] } }, ['headers.a[0]']],
    ['a header value that is not ASCII', { headers: { a: ['é'] } }, ['headers.a[0]']],
    ['a long query string', { queryStrings: [{ value: 'a'.repeat(129) }] }, ['queryStrings[0].value']],
    ['a query string without value', { queryStrings: [{ key: 'a' } as never] }, ['queryStrings[0].value']],
    ['an empty key', { queryStrings: [{ key: '', value: 'a' }] }, ['queryStrings[0].key']],
    ['four values in one', { paths: ['/a', '/b', '/c', '/d'] }, ['paths']],
    ['six values in all', { paths: ['/a', '/b', '/c'], methods: ['A', 'B', 'C'] }, ['conditions']],
    ['six wildcards', { paths: ['/***', '/???'] }, ['conditions']],
    ['wildcards in keys and values', { queryStrings: [{ key: '***', value: '***' }] }, ['conditions']],
    [
      'many faults',
      { hosts: ['x'], paths: ['y'], methods: ['z'], sourceIps: ['w'], headers: { host: ['a', 'b'] } },
      ['hosts[0]', 'paths[0]', 'methods[0]', 'sourceIps[0]', 'headers.host', 'conditions'],
    ],
  ])('with %s are refused, all faults at once', (_what, conditions, paths) => {
    expect(conditionProblems(conditions).map(({ path }) => path)).toEqual(paths);
  });

  test('say what is allowed', () => {
    expect(wrong({})).toEqual([
      'conditions: at least one of hosts, paths, methods, sourceIps, headers, queryStrings; paths: ["/*"] takes every request',
    ]);
    expect(wrong({ methods: ['A', 'B', 'C', 'D', 'E', 'F'] })).toEqual([
      'methods: at most 3 values in one condition; use a further rule',
      'conditions: at most 5 values in all conditions of a rule',
    ]);
  });

  test('count a wildcard for what it is', () => {
    expect(['a', '*', 'a?b*', '\\*', '\\\\*'].map(wildcards)).toEqual([0, 1, 2, 0, 1]);
  });
});

describe('a network', () => {
  test.each([
    '0.0.0.0/0',
    '10.0.0.0/8',
    '203.0.113.7/32',
    '128.0.0.0/1',
    '::/0',
    '2001:db8::/32',
    '::1/128',
    'fd00::/8',
  ])('%s is accepted', (text) => expect(networkCidr.accepts(text)).toBe(true));

  test.each([
    '10.0.0.5/24',
    '10.0.0.0',
    '10.0.0.0/33',
    '10.0.0.0/08',
    '256.0.0.0/8',
    '10.0.0/8',
    '',
    '/8',
    '2001:db8::1/32',
    '2001:DB8::/32',
    '2001:db8:0::/48',
    '2001:db8::/129',
    '::ffff:10.0.0.0/104',
    '1::2::3/128',
    'example.com/8',
    ' 10.0.0.0/8',
    7,
  ])('%p is refused', (text) => expect(networkCidr.accepts(text)).toBe(false));

  test('is one exactly if nothing is left behind the prefix', () => {
    fc.assert(
      fc.property(fc.nat(0xffffffff), fc.integer({ min: 0, max: 32 }), (address, length) => {
        const text = [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.');
        const rest = length === 0 ? address : length === 32 ? 0 : (address << length) >>> 0;
        expect(networkCidr.accepts(`${text}/${length}`)).toBe(rest === 0);
      }),
    );
  });
});

describe('the ports of an entry', () => {
  const web: Entry = { namespace: 'podinfo', service: 'frontend', port: 80 };
  test.each<[string, Entry, number[]]>([
    ['the Service port', web, [80]],
    ['the pods’ own port', { ...web, targetPort: 9898 }, [9898]],
    ['a health check elsewhere', { ...web, targetPort: 9898, healthCheck: { port: 9797 } }, [9898, 9797]],
    ['a health check on the same port', { ...web, healthCheck: { port: 80 } }, [80]],
    ['a node port', { ...web, targetType: 'instance', nodePort: 30080 }, [30080]],
    [
      'a node port with its own health check',
      { ...web, targetType: 'instance', nodePort: 30080, healthCheck: { port: 30081 } },
      [30080, 30081],
    ],
  ])('are those of %s', (_what, entry, ports) => {
    expect(targetPorts(entry)).toEqual(ports);
  });
});

describe('what only a deployment can tell', () => {
  test('is the target group of a slot, which it may lack', () => {
    const ref = { targetGroupArns: { web: 'arn:tg' } };
    expect(targetGroupArn(ref, 'apps', 'blue', 'web')).toBe('arn:tg');
    expect(refused(() => targetGroupArn(ref, 'apps', 'blue', 'api'))).toEqual([
      '  slots.blue.targetGroupArns.api: nothing: must be the ARN of a target group: deploy the entry in the stack of this slot first',
    ]);
  });

  test('is the security group of a load balancer, of which there may be none', () => {
    expect(firstGroup(['sg-1', 'sg-2'])).toBe('sg-1');
    expect(refused(() => firstGroup([]))).toEqual([
      "  securityGroupIds: []: must be at least one of the load balancer's security groups",
    ]);
  });
});
