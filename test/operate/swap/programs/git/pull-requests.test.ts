import type { PullRequest } from '../../../../../lib/operate/swap/programs/git/github';
import {
  chosenRequest,
  closeRequests,
  requestBody,
  requestsOf,
} from '../../../../../lib/operate/swap/programs/git/pull-requests';

const change = (number: number): string => `swap/x-${number}`;

const pull = (number: number, state: PullRequest['state'], swap?: string): PullRequest => ({
  ...{ number, state, url: `https://github.com/acme/infra/pull/${number}`, head: change(number) },
  ...{ body: requestBody('title', swap), conflicts: false },
});

describe('the pull request of a change', () => {
  const open = pull(1, 'open', 'a');
  test.each<[string, readonly PullRequest[], string | undefined, readonly number[], object]>([
    ['there is none: the first', [], 'a', [], { make: 'swap/x-1' }],
    ['one is open, of whatever run', [open], 'a', [], { use: open }],
    ['one is open, of a swap that was forgotten', [open], 'b', [], { use: open }],
    ['one was closed in this swap', [pull(1, 'closed', 'a')], 'a', [], { refused: pull(1, 'closed', 'a') }],
    ['one was closed in an earlier swap', [pull(1, 'closed', 'a')], 'b', [], { make: 'swap/x-2' }],
    ['one was closed, and no swap is known', [pull(1, 'closed', 'a')], undefined, [], { make: 'swap/x-2' }],
    [
      'one was closed by hand, without words',
      [{ ...pull(1, 'closed'), body: '' }],
      'a',
      [],
      { make: 'swap/x-2' },
    ],
    ['one was merged in an earlier swap', [pull(1, 'merged', 'a')], 'a', [], { make: 'swap/x-2' }],
    ['one conflicts, and is given up', [open], 'a', [1], { make: 'swap/x-2' }],
    [
      'the newest decides',
      [pull(1, 'closed', 'a'), pull(2, 'open', 'a')],
      'a',
      [],
      { use: pull(2, 'open', 'a') },
    ],
    [
      'one that the swap closed itself is no refusal',
      [
        {
          ...pull(1, 'closed', 'a'),
          body: `${pull(1, 'closed', 'a').body}\n\nThe swap closed this pull request itself.`,
        },
      ],
      'a',
      [],
      { make: 'swap/x-2' },
    ],
    ['the id of a swap is no part of another one', [pull(1, 'closed', 'ab')], 'a', [], { make: 'swap/x-2' }],
  ])('%s', (_name, found, swap, given, expected) => {
    expect(chosenRequest(change, found, swap, new Set(given))).toEqual(expected);
  });

  test('those that there are, the oldest first', async () => {
    const find = (head: string) =>
      Promise.resolve([open, pull(2, 'closed')].find((each) => each.head === head));
    await expect(requestsOf({ find }, change, 'main')).resolves.toEqual([open, pull(2, 'closed')]);
    const every = (head: string) => Promise.resolve({ ...open, head });
    await expect(requestsOf({ find: every }, change, 'main')).rejects.toThrow(
      '100 pull requests for this change were closed: swap/x-1 and following',
    );
  });
});

test('open ones of the swap are closed, but the one that is asked for', async () => {
  const closed: string[] = [];
  const lines: string[] = [];
  const others = [pull(1, 'open'), pull(2, 'open'), { ...pull(3, 'open'), head: 'feature' }];
  const api = {
    open: () => Promise.resolve(others),
    close: (number: number, body: string) => {
      closed.push(`${number} ${body}`);
      return Promise.resolve(pull(number, 'closed'));
    },
  };
  await closeRequests(api, 'main', 'swap/', { but: 'swap/x-2', say: (line) => void lines.push(line) });
  expect([closed, lines]).toEqual([
    [expect.stringMatching(/^1 [^]*\n\nThe swap closed this pull request itself\.$/)],
    ['https://github.com/acme/infra/pull/1 is closed: the swap does not ask for it any more'],
  ]);
});
