import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { retryTimes } from '../../../lib/manifests/workflows';
import { momentsOf, retryPlot } from './retry-plot';

const file = join(__dirname, '..', '..', '..', 'docs', 'pictures', 'retry-waits.svg');

test('the plot in docs is what the function of the waits says now: npx ts-node -T test/manifests/workflows/write-retry-plot.ts', () => {
  expect(readFileSync(file, 'utf8')).toBe(retryPlot());
});

test('its first line is the default', () => {
  expect(momentsOf({ limit: 6, duration: 15_000, factor: 2, cap: 60_000 })).toEqual(
    retryTimes().map((moment) => moment / 1000),
  );
});
