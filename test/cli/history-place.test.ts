import { parseHistoryPlace } from '../../lib/cli/actions/history/place';
import { Problems } from '../../lib/core/validation/problems';

test.each([
  ['ssm', { swaps: { ssm: {} } }],
  ['ssm:eu-west-1', { swaps: { ssm: { region: 'eu-west-1' } } }],
  [
    'kubernetes:argocd',
    { swaps: { kubernetes: { namespace: 'argocd' } }, shifts: { kubernetes: { namespace: 'argocd' } } },
  ],
  ['folder:./a:b', { swaps: { folder: './a:b' }, shifts: { folder: './a:b' } }],
  ['s3:records', { shifts: { s3: { bucket: 'records' } } }],
  ['s3://records/teams/web', { shifts: { s3: { bucket: 'records', prefix: 'teams/web' } } }],
])('%s', (said, settings) => {
  const problems = new Problems('history');
  expect(parseHistoryPlace(said, '--store', problems)).toEqual(settings);
  expect(problems.all).toEqual([]);
});

test.each([
  '',
  'ssm:',
  'ssm:here!',
  'kubernetes',
  'kubernetes:A',
  'folder',
  'folder:',
  's3:x',
  's3:records/',
  's3:records/a*',
  'ssm\n',
])('%j is refused', (said) => {
  const problems = new Problems('history');
  expect(parseHistoryPlace(said, '--store', problems)).toBeUndefined();
  expect(problems.all).toHaveLength(1);
});
