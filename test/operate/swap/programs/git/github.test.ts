import { passingPause } from '../../../../../lib/core/github';
import { gitHub } from '../../../../../lib/operate/swap/programs/git/github';
import type { HttpClient } from '../../../../../lib/core/http';
import type { ProgramUnreachable } from '../../../../../lib/operate/swap/program';

const now = 1_700_000_000_000;
const minute = 60_000;

test.each<[string, number, Record<string, string>, string, number | undefined]>([
  ['a fault of its own', 502, {}, '', 5],
  ['a time-out', 408, {}, '', 5],
  ['a page of a proxy', 200, {}, '', 5],
  ['a right that is missing', 403, {}, 'Resource not accessible by integration', undefined],
  ['a right that is missing, with requests left', 403, { 'x-ratelimit-remaining': '4999' }, '', undefined],
  ['no such thing', 404, {}, '', undefined],
  ['what it does not do', 422, {}, '', undefined],
  ['a limit with a time to wait', 403, { 'retry-after': '120' }, '', 2 * minute],
  ['the same by 429', 429, { 'retry-after': '1' }, '', 1_000],
  [
    'requests that are spent until a time',
    403,
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 1800) },
    '',
    30 * minute,
  ],
  ['a time that is over', 429, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' }, '', 5],
  ['a limit that says nothing', 429, {}, '', minute],
  ['a limit in words', 403, {}, 'You have exceeded a secondary rate limit', minute],
  ['a limit for days', 429, { 'retry-after': '999999' }, '', 65 * minute],
  ['a time that is no number', 429, { 'retry-after': 'soon' }, '', minute],
])('%s: %i %j %s', (_name, status, headers, message, expected) => {
  expect(passingPause({ status, headers, message }, 5, now)).toBe(expected);
});

describe('the API', () => {
  const asked: string[] = [];
  const of = (...answers: readonly (readonly [number, unknown, Record<string, string>?])[]) => {
    asked.length = 0;
    let count = 0;
    const http: HttpClient = {
      send: ({ method, url }) => {
        asked.push(`${method} ${url.href}`);
        const [status, content, headers = {}] = answers[Math.min(count, answers.length - 1)]!;
        count += 1;
        const text = typeof content === 'string' ? content : JSON.stringify(content);
        return Promise.resolve({ status, headers, text });
      },
    };
    const settings = {
      repository: 'acme/infra',
      token: { env: 'T' },
      api: 'https://git.example.com/api/v3/',
    };
    return gitHub(settings, () => 'secret', new AbortController().signal, { http, pauseMs: 1 });
  };
  const shown = (number: number, more: object = {}) => ({
    ...{ number, html_url: `https://x/${number}`, state: 'open', head: { ref: 'a' }, body: null, ...more },
  });

  test('of GitHub Enterprise Server is below a path', async () => {
    await of([200, shown(7)]).get(7);
    expect(asked).toEqual(['GET https://git.example.com/api/v3/repos/acme/infra/pulls/7']);
  });

  test.each<[string, object, object]>([
    ['is open', { mergeable: null, merge_commit_sha: 'b'.repeat(40) }, { state: 'open', conflicts: false }],
    ['can be merged', { mergeable: true }, { state: 'open', conflicts: false }],
    ['conflicts', { mergeable: false }, { state: 'open', conflicts: true }],
    ['was closed', { state: 'closed', merged_at: null }, { state: 'closed' }],
    [
      'was merged',
      { state: 'closed', merged_at: '2026-01-01T00:00:00Z', merge_commit_sha: 'a'.repeat(40) },
      { state: 'merged', mergeCommit: 'a'.repeat(40) },
    ],
  ])('a pull request that %s', async (_name, fields, expected) => {
    const found = await of([200, shown(7, fields)]).get(7);
    expect(found).toMatchObject(expected);
    expect('mergeCommit' in found).toBe('mergeCommit' in expected);
  });

  test('open pull requests beyond the first page are found', async () => {
    const page = Array.from({ length: 100 }, (_, index) => shown(index));
    await expect(of([200, page], [200, page], [200, [shown(200)]]).open('main')).resolves.toHaveLength(201);
    expect(asked.map((each) => /page=(\d+)$/.exec(each)![1])).toEqual(['1', '2', '3']);
  });

  test.each<[string, readonly [number, unknown, Record<string, string>?], boolean, number]>([
    ['fails', [500, {}], true, 5],
    ['answers with a page', [200, '<html>'], true, 5],
    ['does not know the token', [401, { message: 'Bad credentials' }], false, 1],
    ['has another name by now', [301, { message: 'Moved Permanently' }], false, 1],
  ])('a repository that %s can not be asked', async (_name, answer, passes, times) => {
    const error = (await of(answer)
      .get(7)
      .catch((failure: unknown) => failure)) as ProgramUnreachable;
    expect(error).toMatchObject({ name: 'ProgramUnreachable', passes });
    expect(asked).toHaveLength(times);
  });

  test.each<[readonly string[], string]>([
    [[], 'running'],
    [['queued'], 'running'],
    [['in_progress', 'queued'], 'running'],
    [['success', 'in_progress'], 'deployed'],
    [['inactive', 'success'], 'deployed'],
    [['inactive', 'in_progress'], 'unknown'],
    [['error', 'in_progress'], 'failed'],
    [['a state of later days'], 'unknown'],
  ])('a deployment with the states %j', async (states, expected) => {
    const api = of([200, [{ id: 7 }]], [200, states.map((state) => ({ state }))]);
    await expect(api.deployment('c', 'production')).resolves.toBe(expected);
  });

  test('no deployment of a commit is known', async () => {
    await expect(of([200, []]).deployment('c', 'production')).resolves.toBe('unknown');
  });
});
