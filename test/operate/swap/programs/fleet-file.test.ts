import * as fc from 'fast-check';
import { InvalidInput } from '../../../../lib/core/validation';
import { readFleet, withFleet } from '../../../../lib/operate/swap';
import type { FleetConfiguration } from '../../../../lib/operate/swap';

const places = { slots: ['fleet', 'slots'], weights: ['fleet', 'weights'] };
const text = `# Ours
fleet:
  slots: # by name
    blue: { version: '1.35', nodes: { min: 2 } } # the old one
    green:
      version: '1.36'
      nodes: { min: 3 }
  weights: { blue: 0, green: 100 }
rest: 010
`;

test('a slot goes, and all else stays to the letter', () => {
  const before = readFleet(text, 'f.yaml', places);
  const { green } = before.slots;
  expect(withFleet(text, 'f.yaml', places, { slots: { green: green! }, weights: { green: 100 } })).toBe(
    text.replace(/ {4}blue: .*\n/, '').replace('blue: 0, ', ''),
  );
});

test('a slot comes beside it, as the settings of the other one', () => {
  const slots = { blue: '1.35', green: { version: '1.36', nodes: { min: 3 } } };
  const result = withFleet(
    "fleet:\n  slots:\n    blue: '1.35'\n  weights:\n    blue: 100\n",
    'f.yaml',
    places,
    {
      slots,
      weights: { blue: 100, green: 0 },
    },
  );
  expect(result).toBe(
    `fleet:\n  slots:\n    blue: '1.35'\n    green: {"version":"1.36","nodes":{"min":3}}\n  weights:\n    blue: 100\n    green: 0\n`,
  );
});

test('JSON in a text stays JSON in a text', () => {
  const file = `fleet:\n  slots: '{"blue":"1.35"}'\n  weights: { blue: 100 }\n`;
  const slots = { blue: '1.35', green: '1.36' };
  expect(withFleet(file, 'f.yaml', places, { slots, weights: { blue: 100 } })).toBe(
    file.replace('"1.35"', '"1.35","green":"1.36"'),
  );
});

test('what stands for something else, too, is not changed', () => {
  const file = `fleet:\n  slots: &s { blue: '1.35' }\n  weights: { blue: 100 }\nother: *s\n`;
  const wanted = { slots: { blue: '1.36' }, weights: { blue: 100 } };
  expect(() => withFleet(file, 'f.yaml', places, wanted)).toThrow(InvalidInput);
  expect(() => withFleet(file, 'f.yaml', places, wanted)).toThrow(
    /f.yaml: must be a file .* an alias stands for it/,
  );
});

test('all problems are told at once, each with its line', () => {
  const wrong = text.replace("'1.35'", '1.35').replace('blue: 0', 'blue: 0.5, red: 1000');
  expect(() => readFleet(wrong, 'f.yaml', places)).toThrow(
    /^f.yaml: 3 problems\n.*:4:\d+ fleet.slots.blue.version: 1.35: .*\n.*:8:\d+ fleet.weights.blue: 0.5: .*\n.*fleet.weights.red: 1000/,
  );
});

test('whatever is written is read again', () => {
  const name = fc.constantFrom('blue', 'green', 'red', 'on', '1', 'a-b');
  const version = fc.constantFrom('1.30', '1.35', '1.36');
  const setting = fc.oneof(
    version,
    fc.record({ version, nodes: fc.dictionary(fc.constantFrom('a', 'b'), fc.integer()) }),
  );
  const configuration: fc.Arbitrary<FleetConfiguration> = fc
    .uniqueArray(name, { minLength: 1, maxLength: 3 })
    .chain((names) =>
      fc.tuple(...names.map(() => setting)).map((settings) => ({
        slots: Object.fromEntries(names.map((each, position) => [each, settings[position]!])),
        weights: Object.fromEntries(names.map((each, position) => [each, position === 0 ? 100 : 0])),
      })),
    );
  fc.assert(
    fc.property(fc.array(configuration, { minLength: 1, maxLength: 4 }), (configurations) => {
      const last = configurations.reduce((before, each) => withFleet(before, 'f.yaml', places, each), text);
      expect(readFleet(last, 'f.yaml', places)).toEqual(configurations.at(-1));
      expect(last.startsWith('# Ours\n') && last.endsWith('\nrest: 010\n')).toBe(true);
    }),
    { numRuns: 40 },
  );
});
