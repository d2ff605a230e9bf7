import { lint, fixFiles, readManifests } from '../../lib/lint';
import { lintText } from './lint-text';
import type { Entry } from './rules/webhooks/manifests';
import { webhooks } from './rules/webhooks/manifests';

const named = (count: number, more: Entry = {}): Entry[] =>
  Array.from({ length: count }, (_, index) => ({ name: `gate${index}.example.com`, ...more }));
const found = (entries: readonly Entry[], rule = 'WH09') => lintText(webhooks(entries), { rules: [rule] });

test('two entries are told one by one, three together', () => {
  expect(found(named(2, { timeoutSeconds: '10' }))).toHaveLength(2);
  const [finding, ...others] = found(named(4, { timeoutSeconds: '10' }));
  expect(others).toEqual([]);
  expect(finding).toMatchObject({
    pointer: '/webhooks/0/timeoutSeconds',
    message:
      'webhook gate0.example.com (Fail) has timeoutSeconds 10; the same of 3 more, such as gate1.example.com and gate2.example.com',
    also: ['/webhooks/1/timeoutSeconds', '/webhooks/2/timeoutSeconds', '/webhooks/3/timeoutSeconds'],
  });
});

test('what differs is not put together', () => {
  const three = named(3, { timeoutSeconds: '10' });
  expect(found([...three, ...named(1, { timeoutSeconds: '8', name: 'other.example.com' })])).toHaveLength(2);
  expect(
    found([...three, { timeoutSeconds: '10', failurePolicy: 'Ignore', name: 'other.example.com' }]),
  ).toHaveLength(2);
  // Entries of another object.
  expect(lintText(webhooks(three) + webhooks(three, { name: 'others' }), { rules: ['WH09'] })).toHaveLength(
    2,
  );
});

test('hundreds of entries are one finding, in no time', () => {
  const from = Date.now();
  expect(found(named(500, { timeoutSeconds: '10' }))).toHaveLength(1);
  expect(Date.now() - from).toBeLessThan(2_000);
});

test('the change of all of them is made', () => {
  const text = webhooks(named(3, { failurePolicy: undefined }));
  const { objects } = readManifests(text, { file: 'a.yaml', read: () => text });
  const { texts, fixed } = fixFiles(objects, () => text);
  expect(fixed.filter(({ rule }) => rule === 'WH07')).toHaveLength(1);
  expect(texts.get('a.yaml')!.match(/failurePolicy: "?Fail/g)).toHaveLength(3);
  expect(lint(objects).findings.find(({ rule }) => rule === 'WH07')!.fixPatch).toHaveLength(3);
});
