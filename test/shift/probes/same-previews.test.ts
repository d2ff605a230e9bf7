import { samePreviews } from '../../../lib/shift/probes';
import { parsePlan } from '../../../lib/shift/plan-file';

const url = 'https://www.example.com';

test.each<[string, Record<string, unknown>, [string, string][]]>([
  ['other values', { blue: { url, headers: { x: 'b' } }, green: { url, headers: { x: 'g' } } }, []],
  ['other hosts', { blue: { url: 'https://b.example.com' }, green: { url: 'https://g.example.com' } }, []],
  ['no headers', { blue: { url }, green: { url: `${url}/` } }, [['green', 'blue']]],
  [
    'one variable, and a name in capitals',
    {
      blue: { url, headers: { 'x-slot': { env: 'A' } } },
      green: { url, headers: { 'X-Slot': { env: 'A' } } },
    },
    [['green', 'blue']],
  ],
  [
    'several',
    { a: { url }, b: { url }, c: { url } },
    [
      ['b', 'a'],
      ['c', 'a'],
    ],
  ],
  ['none, and what is none', { a: undefined, b: 1, c: { url: 'x' }, d: { url: 'x' } }, []],
  ['names of objects', { constructor: { url }, toString: { url } }, [['toString', 'constructor']]],
])('%s', (_name, previews, expected) => {
  expect([...samePreviews(previews)]).toEqual(expected);
});

test('a plan with one preview for two slots is refused', () => {
  const slot = (value: string): object => ({ preview: { url, headers: { 'x-slot': value } } });
  const plan = (green: string): string =>
    JSON.stringify({
      router: { simulated: {} },
      slots: { blue: slot('blue'), green: slot(green) },
      weights: { green: 100 },
      shift: {},
    });
  expect(() => parsePlan(plan('green'), 'plan.yaml')).not.toThrow();
  expect(() => parsePlan(plan('blue'), 'plan.yaml')).toThrow(
    /slots\.green\.preview: must be another one than that of blue: it leads to one slot/,
  );
});
