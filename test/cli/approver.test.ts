import { approverOf } from '../../lib/cli/actions/shift/approver';

const labels = (own: Record<string, unknown>): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(own).map(([name, value]) => [`workflows.argoproj.io/${name}`, value])),
  );

test.each([
  ['a text', 'kim by phone', 'kim by phone'],
  ['a text with space around', ' kim ', 'kim'],
  [
    'a user name',
    labels({ action: 'Resume', actor: 'a1', 'actor-preferred-username': 'kim' }),
    'kim by argo resume',
  ],
  [
    'an address',
    labels({ action: 'Resume', actor: 'a1', 'actor-email': 'kim.at.example.com' }),
    'kim@example.com by argo resume',
  ],
  ['an id alone', labels({ action: 'Resume', actor: 'a1' }), 'a1 by argo resume'],
  ['another action', labels({ action: 'Suspend', actor: 'a1' }), 'argo resume (not named)'],
  ['no labels of an actor', labels({ 'controller-instanceid': 'x' }), 'argo resume (not named)'],
  ['no labels', '{}', 'argo resume (not named)'],
  ['labels that are no texts', labels({ action: 'Resume', actor: 7 }), 'argo resume (not named)'],
  ['nothing', '  ', undefined],
  ['two lines', 'kim\nalex', undefined],
  ['too long a text', 'x'.repeat(201), undefined],
  ['broken JSON', '{"a"', undefined],
  ['a variable that was not replaced', '{{workflow.labels.json}}', undefined],
  ['huge labels', labels({ actor: 'x'.repeat(100_000) }), undefined],
])('%s', (_, said, approver) => {
  expect(approverOf(said)).toBe(approver);
});
