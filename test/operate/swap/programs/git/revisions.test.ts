import { stateOfAll, withRevisions } from '../../../../../lib/operate/swap/programs/git/revisions';
import type { DeploymentState } from '../../../../../lib/operate/swap/programs/git/github';

test.each<[readonly DeploymentState[], DeploymentState]>([
  [[], 'unknown'],
  [['unknown', 'deployed', 'failed', 'running'], 'deployed'],
  [['failed', 'running'], 'running'],
  [['unknown', 'failed'], 'failed'],
  [['unknown', 'running'], 'running'],
  [['unknown', 'unknown'], 'unknown'],
])('commits that are %j', (states, expected) => {
  expect(stateOfAll(states)).toBe(expected);
});

test('the newest commits are asked for, each once, and no more than four', () => {
  const first = withRevisions([], ['b', 'b', undefined]);
  expect(first).toEqual(['b']);
  const second = withRevisions(first, ['c', 'b', 'b']);
  expect(second).toEqual(['c', 'b']);
  const later = ['d', 'e', 'f'].reduce((known, head) => withRevisions(known, [head, 'b', 'b']), second);
  expect(later).toEqual(['f', 'b', 'e', 'd']);
});
