import { getMaxListeners } from 'node:events';
import { within } from '../../lib/core/async';

test('any number of requests may listen to the signal of a call: Node.js warns of no leak', async () => {
  expect(await within(undefined, undefined, (signal) => Promise.resolve(getMaxListeners(signal)))).toBe(
    Infinity,
  );
});
