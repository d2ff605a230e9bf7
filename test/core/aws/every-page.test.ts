import { AwsError } from '../../../lib/core/aws/errors';
import { everyPage } from '../../../lib/core/aws/pages';

const call = { action: 'eks:ListClusters', subject: 'clusters' };

test('all pages of a list, up to one that names no other', async () => {
  const asked: unknown[] = [];
  const found = await everyPage(call, (token) => {
    asked.push(token);
    return Promise.resolve({ items: [asked.length], next: ['b', 'c', ''][asked.length - 1] });
  });
  expect(found).toEqual([1, 2, 3]);
  expect(asked).toEqual([undefined, 'b', 'c']);
});

test.each([
  [
    'the same next page again',
    () => 'a',
    2,
    /^clusters: what answers eks:ListClusters is not AWS .*same next page again/,
  ],
  ['two pages in turn', (count: number) => `${count % 2}`, 3, /same next page again/],
  ['the same next record', () => ({ name: 'a' }), 2, /same next page again/],
  ['ever another page', (count: number) => `${count}`, 1_000, /more than 1000 pages/],
])('a list that names %s ends', async (_what, next: (count: number) => unknown, pages, message) => {
  let count = 0;
  const endless = everyPage(call, () => Promise.resolve({ items: [], next: next((count += 1)) }));
  const error = (await endless.catch((thrown: unknown) => thrown)) as AwsError;
  expect(error).toBeInstanceOf(AwsError);
  expect(error.message).toMatch(message);
  expect(error.failure).toEqual({ kind: 'unreachable', foreign: true });
  expect(count).toBe(pages);
});
