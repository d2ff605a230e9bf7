import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { httpClient } from '../../../lib/core/http';
import type { Agreed } from '../../../lib/shift/engine';
import { anyOf, openApprovals } from '../../../lib/shift/approvals';
import { parsePlan } from '../../../lib/shift/plan-file';

/** What the stand-in of GitHub's API has been asked, and how it answers. */
interface Asked {
  readonly line: string;
  readonly body: any;
  readonly headers: IncomingMessage['headers'];
}

type Answer = readonly [status: number, body?: unknown, headers?: Record<string, string>];

let asked: Asked[] = [];
let answers: Record<string, Answer | ((response: ServerResponse) => void)>;
let server: Server;
let api: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const line = `${request.method} ${request.url}`;
      asked.push({ line, body: text === '' ? undefined : JSON.parse(text), headers: request.headers });
      const answer = answers[line] ?? [404, { message: 'Not Found' }];
      if (typeof answer === 'function') {
        return answer(response);
      }
      const [status, body, headers] = answer;
      return response.writeHead(status, headers).end(body === undefined ? undefined : JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  api = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  server.closeAllConnections();
});

const dispatch = 'POST /repos/acme/infra/actions/workflows/approve.yaml/dispatches';
const approvals = 'GET /repos/acme/infra/actions/runs/7/approvals';
const run = 'GET /repos/acme/infra/actions/runs/7';
const started: Answer = [
  200,
  { workflow_run_id: 7, html_url: 'https://github.com/acme/infra/actions/runs/7' },
];
const review = (state: string, name = 'production', login: unknown = 'kim') => ({
  ...{ state, comment: 'EVIL', user: { login } },
  environments: [{ name }],
});
const waits: Record<string, Answer> = {
  [dispatch]: started,
  [approvals]: [200, []],
  [run]: [200, { status: 'waiting', conclusion: null }],
};

let now: number;
let said: string[];
beforeEach(() => {
  asked = [];
  answers = { ...waits };
  now = 1_000_000;
  said = [];
});

const token = 'ghp_not-shown';

function opened(own: Record<string, unknown> = {}, timeoutMs = 30_000) {
  const settings = { repository: 'acme/infra', workflow: 'approve.yaml', environment: 'production', api };
  const [resume] = openApprovals(
    { github: { ...settings, token: { env: 'TOKEN' }, ...own } },
    { plan: 'plan.yaml', route: 'web', routerId: 'rule' },
    {
      env: { TOKEN: token },
      readFile: () => Promise.reject(new Error('no file')),
      http: httpClient({ timeoutMs }),
      clock: { now: () => now, sleep: () => Promise.resolve() },
      say: (line) => void said.push(line),
    },
  );
  return resume!;
}

/** Asks once more, when it is time again. */
async function later(resume: ReturnType<typeof opened>, milliseconds = 15_000): Promise<boolean | Agreed> {
  now += milliseconds;
  return resume.resumed(50);
}

const lines = () => asked.map(({ line }) => line);

test('reviewers are asked once, and who approves is known by the login', async () => {
  const resume = opened();
  expect(resume.how).toBe('approve the environment production of acme/infra in GitHub');
  expect(await resume.resumed(50)).toBe(false);
  expect(asked[0]).toMatchObject({
    line: dispatch,
    body: { ref: 'main', inputs: { plan: 'plan.yaml', route: 'web', place: '50' }, return_run_details: true },
    headers: {
      ...{ authorization: `Bearer ${token}`, 'x-github-api-version': '2022-11-28' },
      accept: 'application/vnd.github+json',
    },
  });
  expect(said).toEqual([
    'GitHub asks the reviewers of the environment production: https://github.com/acme/infra/actions/runs/7',
  ]);
  answers[approvals] = [200, [review('approved', 'staging', 'alex'), review('pending')]];
  expect(await later(resume)).toBe(false);
  answers[approvals] = [200, [review('approved', 'staging', 'alex'), review('approved')]];
  expect(await later(resume)).toEqual({ by: 'kim by GitHub environment production' });
  expect(lines().filter((line) => line === dispatch)).toHaveLength(1);
});

test('GitHub is asked at most every 15 seconds, however often the shift asks', async () => {
  const resume = opened();
  for (let second = 0; second < 60; second += 1) {
    now += 1_000;
    expect(await resume.resumed(50)).toBe(false);
  }
  expect(lines().filter((line) => line === approvals)).toHaveLength(4);
});

test('the next pause asks anew', async () => {
  const resume = opened();
  await resume.resumed(50);
  expect(await resume.resumed(75)).toBe(false);
  expect(asked.filter(({ line }) => line === dispatch).map(({ body }) => body.inputs.place)).toEqual([
    '50',
    '75',
  ]);
});

test('an approval counts once: a hold at the same place asks anew', async () => {
  const resume = opened();
  answers[approvals] = [200, [review('approved')]];
  expect(await resume.resumed(50)).toMatchObject({ by: expect.stringContaining('kim') });
  answers[dispatch] = [200, { workflow_run_id: 8 }];
  answers[approvals.replace('/7/', '/8/')] = [200, []];
  answers[run.replace(/7$/, '8')] = [200, { status: 'waiting', conclusion: null }];
  expect([await resume.resumed(50), await later(resume)]).toEqual([false, false]);
  expect(lines().filter((line) => line === dispatch)).toHaveLength(2);
});

test('a refusal holds it: no one is asked again', async () => {
  const resume = opened();
  answers[approvals] = [200, [review('rejected')]];
  expect(await resume.resumed(50)).toBe(false);
  const before = asked.length;
  expect(await later(resume)).toBe(false);
  expect(asked).toHaveLength(before);
  expect(said.at(-1)).toBe(
    'GitHub, run 7 of approve.yaml: kim has refused it. The shift stays at 50 %; to ask once more, run it again.',
  );
});

test.each([
  ['an environment without reviewers', 'success'],
  ['a run that was cancelled', 'cancelled'],
])('%s is no approval', async (_, conclusion) => {
  const resume = opened();
  answers[run] = [200, { status: 'completed', conclusion }];
  expect(await resume.resumed(50)).toBe(false);
  expect(await later(resume)).toBe(false);
  expect(said.at(-1)).toContain(
    `it ended (${conclusion}) without an approval; does its job name the environment`,
  );
});

test.each<[string, Answer, RegExp, number]>([
  [
    'no workflow, or no right to it',
    [404, { message: 'Not Found' }],
    /^GitHub answers 404 \(Not Found\) to POST .*; a token without the right Actions/,
    60_000,
  ],
  [
    'a token that is refused',
    [401, { message: 'Bad credentials' }],
    /answers 401 \(Bad credentials\)/,
    60_000,
  ],
  [
    'a workflow without dispatch',
    [422, { message: "Workflow does not have 'workflow_dispatch' trigger" }],
    /answers 422/,
    60_000,
  ],
  [
    'a limit of the hour',
    [
      403,
      { message: 'API rate limit exceeded' },
      { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1600' },
    ],
    /answers 403/,
    600_000,
  ],
  ['a secondary limit', [429, { message: 'slow down' }, { 'retry-after': '120' }], /answers 429/, 120_000],
  ['a fault of the server', [502, '<html>'], /answers 502/, 60_000],
])('%s: it is said, and asked again when that may help', async (_, answer, message, pause) => {
  const resume = opened();
  answers[dispatch] = answer;
  await expect(resume.resumed(50)).rejects.toThrow(message);
  await expect(resume.resumed(50)).rejects.not.toThrow(token);
  now += pause - 1_000;
  await expect(resume.resumed(50)).rejects.toThrow(message);
  expect(asked).toHaveLength(1);
  answers[dispatch] = started;
  answers[approvals] = [200, [review('approved')]];
  expect(await later(resume, 2_000)).toMatchObject({ by: expect.stringContaining('kim') });
});

test('a server that does not say which run it has started: people are not asked twice', async () => {
  const resume = opened();
  answers[dispatch] = [204];
  await expect(resume.resumed(50)).rejects.toThrow('does not say which run that is: this server is too old');
  expect(await later(resume, 600_000)).toBe(false);
  expect(lines()).toEqual([dispatch]);
});

test('an answer that never ends, or none, is an error, and the next one counts', async () => {
  const resume = opened({}, 100);
  await resume.resumed(50);
  answers[approvals] = (response) => void response.writeHead(200).write('[');
  await expect(later(resume)).rejects.toThrow("GitHub can't be asked for acme/infra: no answer within 0.1 s");
  answers[approvals] = (response) => void response.destroy();
  await expect(later(resume)).rejects.toThrow(/GitHub can't be asked for acme\/infra: /);
  answers[approvals] = [200, [review('approved')]];
  expect(await later(resume)).toMatchObject({ by: expect.stringContaining('kim') });
  expect(lines().filter((line) => line === dispatch)).toHaveLength(1);
});

test('the signal ends a question', async () => {
  const resume = opened();
  answers[dispatch] = () => undefined;
  const why = new Error('the shift has ended');
  const controller = new AbortController();
  const answer = resume.resumed(50, controller.signal);
  controller.abort(why);
  await expect(answer).rejects.toBe(why);
});

test.each<[string, unknown]>([
  ['no list', { message: 'EVIL' }],
  [
    'reviews of another form',
    [null, 7, { state: 'approved' }, { state: 'approved', environments: 'production' }],
  ],
  ['an approval without a place', [{ state: 'approved', environments: [{ name: 'production ' }], user: {} }]],
])('%s is no approval', async (_, body) => {
  answers[approvals] = [200, body];
  expect(await opened().resumed(50)).toBe(false);
});

test('a hostile login is one line, and short', async () => {
  answers[approvals] = [200, [review('approved', 'production', `EVIL \u001b[31m\r\n${'x'.repeat(500)}`)]];
  const { by } = (await opened().resumed(50)) as Agreed;
  expect(by).toMatch(/^EVIL \\u001b\[31m\\r\\nx+ by GitHub environment production$/);
  expect(by.length).toBeLessThan(100);
});

test('a token that is not there is said, and not asked with', async () => {
  await expect(opened({ token: { env: 'OTHER' } }).resumed(50)).rejects.toThrow(
    'the token of GitHub is not there: the variable OTHER is not set or empty',
  );
  expect(asked).toEqual([]);
});

test('of several ways the first yes counts, by a name where one has it', async () => {
  const way = (answer: boolean | Agreed | Error) => ({
    how: 'ask',
    resumed: () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer)),
  });
  expect(anyOf([])).toBeUndefined();
  expect(anyOf([way(false), way(true)])!.how).toBe('ask; or ask');
  expect(await anyOf([way(new Error('no')), way(true), way({ by: 'kim' })])!.resumed(50)).toEqual({
    by: 'kim',
  });
  expect(await anyOf([way(false), way(false)])!.resumed(50)).toBe(false);
  await expect(anyOf([way(new Error('no')), way(false)])!.resumed(50)).rejects.toThrow('no');
});

test.each([
  ['{ github: {} }', 'approvals.github.repository: is required'],
  ['{ mail: {} }', 'approvals.mail: unknown key'],
  ['{ github: { token: ghp_x } }', 'approvals.github.token'],
  ['{ github: { api: "http://github.example.com" } }', 'must be a URL that starts with https://'],
  ['{ github: { api: "https://a:b@github.example.com" } }', 'must be a URL that starts with https://'],
  ['{ github: { repository: ../.., workflow: a/b.yaml } }', 'approvals.github.workflow: "a/b.yaml"'],
  ['{ github: { every: 1s } }', 'must be a duration of at least 10s'],
])('settings %s are refused', (text, message) => {
  const plan = `router: { simulated: }\nslots: { blue: , green: }\nweights: { green: 100 }\napprovals: ${text}\n`;
  expect(() => parsePlan(plan, 'plan.yaml')).toThrow(message);
  expect(() => parsePlan(plan, 'plan.yaml')).not.toThrow('ghp_x');
});
