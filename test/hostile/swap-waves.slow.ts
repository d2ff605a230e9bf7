import { InvalidInput } from '../../lib/core/validation';
import { readSwapWaves } from '../../lib/operate/swap/file';
import { leastWaves } from '../operate/swap/file/swap-files';
import { expectNoHang } from './texts';

function read(text: string): unknown {
  try {
    return readSwapWaves(text, 'swap.yaml');
  } catch (error) {
    if (!(error instanceof InvalidInput)) {
      throw error;
    }
    return error.message;
  }
}

const many = (count: number, line: (position: number) => string): string =>
  Array.from({ length: count }, (_, position) => line(position)).join('\n');

/** Fleets with something in common. */
const hostile = (common: string, count: number): string =>
  `to: "1.36"\nfleet: a\n${common}\nfleets:\n` +
  many(
    count,
    (n) => `  f${n}: {region: eu-west-${n % 9}, program: {commands: {read: [a${n}], deploy: [b]}}}`,
  );

test('what takes too long is refused', () => {
  const text = hostile(`phases: { deliver: { checks: [${'{argoApplications: {}},'.repeat(8_000)}] } }`, 50);
  expect(read(text)).toMatch(/^ *swap\.yaml:4:1 fleets: must be fewer, or with less in common/m);
});

test.each<[string, string]>([
  ['many fleets', `fleets:\n${many(10_000, (n) => `  f${n}: {}`)}`],
  [
    'many fleets of many checks',
    hostile(`phases: { deliver: { checks: [${'{argoApplications: {}},'.repeat(8_000)}] } }`, 50),
  ],
  [
    'some fleets of many checks',
    hostile(`phases: { deliver: { checks: [${'{argoApplications: {}},'.repeat(8_000)}] } }`, 2),
  ],
  ['some fleets of many versions', hostile(`via: [${'"1.35",'.repeat(20_000)}]`, 3)],
  [
    'some fleets of many windows',
    hostile(`windows: [${'{from: "01:00", to: "02:00", timeZone: Europe/Berlin},'.repeat(3_000)}]`, 3),
  ],
  ['many fleets with programs', hostile('', 2_500)],
  ['a long wave', `${leastWaves}waves: [[${'eu, us,'.repeat(15_000)}]]`],
  ['many waves', `${leastWaves}waves: [${'[eu, us],'.repeat(10_000)}]`],
  ['fleets that are no objects', `fleets: [${'a,'.repeat(10_000)}]\nwaves: a`],
])('%s are evaluated within a second', (name, text) => {
  expectNoHang(name, () => read(text));
});
