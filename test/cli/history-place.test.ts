import { parseHistoryPlace } from '../../lib/cli/actions/history/place';
import { Problems } from '../../lib/core/validation/problems';

test.each([
  ['ssm', { ssm: {} }],
  ['ssm:eu-west-1', { ssm: { region: 'eu-west-1' } }],
  ['kubernetes:argocd', { kubernetes: { namespace: 'argocd' } }],
  ['folder:./a:b', { folder: './a:b' }],
])('%s', (said, settings) => {
  const problems = new Problems('history');
  expect(parseHistoryPlace(said, '--store', problems)).toEqual(settings);
  expect(problems.all).toEqual([]);
});

test.each(['', 'ssm:', 'ssm:here!', 'kubernetes', 'kubernetes:A', 'folder', 'folder:', 's3:x', 'ssm\n'])(
  '%j is refused',
  (said) => {
    const problems = new Problems('history');
    expect(parseHistoryPlace(said, '--store', problems)).toBeUndefined();
    expect(problems.all).toHaveLength(1);
  },
);
