import type { DoctorFinding } from '../../../lib/operate/doctor';
import { githubCheck } from '../../../lib/operate/doctor/github/github-check';
import { nodeHttp, patiently } from '../../../lib/operate/doctor/github/http';
import type { TestCluster } from './github-cluster';
import { contextOf, leaseOf, refusedLine, repoServer, secretOf } from './github-cluster';
import { testKey } from './github-keys';
import type { Instead } from './github-stand-in';
import { GitHubStandIn, proxyTo as startProxy } from './github-stand-in';

const key = testKey();
const other = testKey();
let github: GitHubStandIn;
let certificates: Readonly<Record<string, string>>;

beforeAll(async () => {
  github = await GitHubStandIn.start();
  certificates = { '127.0.0.1': github.authority.certificate, 'ghe.test': github.authority.certificate };
  github.apps = {
    '12': {
      keys: [key.publicKey],
      slug: 'deployer',
      installations: {
        '34': { account: 'acme', repositories: ['config', 'web'] },
        '35': { account: 'beta' },
        '36': { account: 'acme', suspended: true },
        '37': { account: 'acme', permissions: { metadata: 'read' } },
      },
    },
    '13': { keys: [other.publicKey] },
    '14': { keys: [] },
  };
});
afterAll(() => github.stop());
beforeEach(() => github.reset());

const proxies: Awaited<ReturnType<typeof startProxy>>[] = [];
async function proxyTo(port: number, status?: number) {
  const proxy = await startProxy(port, status);
  proxies.push(proxy);
  return proxy;
}
afterEach(() => Promise.all(proxies.splice(0).map((proxy) => proxy.stop())));

const http = (timeoutMs = 2_000) => patiently(nodeHttp(timeoutMs), { attempts: 3, pauseMs: 1 });
const fields = (changed: Readonly<Record<string, string | undefined>> = {}) => ({
  url: `${github.url}/acme/config`,
  githubAppID: '12',
  githubAppInstallationID: '34',
  githubAppPrivateKey: key.pem,
  githubAppEnterpriseBaseUrl: github.url,
  ...changed,
});

async function examined(cluster: TestCluster, env: NodeJS.ProcessEnv = {}, timeoutMs?: number) {
  const context = contextOf({ certificates, ...cluster });
  return githubCheck({ http: http(timeoutMs), env }).examine(context);
}
const one = async (
  changed: Readonly<Record<string, string | undefined>>,
  env?: NodeJS.ProcessEnv,
  timeoutMs?: number,
) => (await examined({ secrets: [secretOf('github', fields(changed))] }, env, timeoutMs)).findings;
const causes = (findings: readonly DoctorFinding[]) => findings.map(({ cause }) => cause);
const text = (findings: readonly DoctorFinding[]) => JSON.stringify(findings);

describe('what GitHub says is told apart', () => {
  test('a credential that works is no finding; its token is revoked', async () => {
    const report = await examined({ secrets: [secretOf('github', fields())] });
    expect(report.findings).toEqual([]);
    expect(report.notChecked).toEqual([]);
    expect(report.looked).toBe('1 Secret with a GitHub App, 1 credential tried, logs of 0 repo-server pods');
    expect(github.requests).toEqual([
      'POST /app/installations/34/access_tokens',
      'GET /app/installations/34',
      'GET /repos/acme/config',
      'DELETE /installation/token',
    ]);
    expect(github.live.size).toBe(0);
  });

  test.each<[string, Record<string, string>, string, RegExp, RegExp]>([
    ['the number of no App', { githubAppID: '99' }, 'wrong-app', /no App 99/, /Integration not found/],
    [
      'the key of another App',
      { githubAppPrivateKey: other.pem },
      'wrong-key',
      /none of App 12/,
      /could not be decoded.*SHA256:/,
    ],
    [
      'the number of another App',
      { githubAppID: '13' },
      'wrong-key',
      /none of App 13/,
      /could not be decoded/,
    ],
    [
      'an App whose keys are revoked',
      { githubAppID: '14' },
      'wrong-key',
      /no keys at all/,
      /must generate a public key/,
    ],
    [
      'no such installation',
      { githubAppInstallationID: '99' },
      'wrong-installation',
      /no installation 99.*githubAppInstallationID to 34/,
      /knows the App deployer and its key.*34 \(acme\), 35 \(beta\)/,
    ],
    [
      'the installation of another organisation',
      { githubAppInstallationID: '35' },
      'wrong-installation',
      /that of beta, and the URL is that of acme/,
      /installation 35/,
    ],
    ['a suspended installation', { githubAppInstallationID: '36' }, 'suspended', /suspended/, /403/],
    [
      'no right to read contents',
      { githubAppInstallationID: '37' },
      'no-permission',
      /not the right to read/,
      /permissions: metadata/,
    ],
    [
      'a repository that is not among the chosen',
      { url: 'https://127.0.0.1/acme/secret' },
      'no-access',
      /does not open every/,
      /repos\/acme\/secret: 404/,
    ],
  ])('%s', async (_what, changed, cause, message, evidence) => {
    const findings = await one(changed);
    expect(causes(findings)).toEqual([cause]);
    const [finding] = findings;
    expect(finding).toMatchObject({ severity: 'error', subject: 'Secret argocd/github' });
    expect(`${finding!.message} ${finding!.next}`).toMatch(message);
    expect(finding!.evidence.join(' ')).toMatch(evidence);
    expect(github.live.size).toBe(0);
  });

  test.each<[string, Instead, string, RegExp]>([
    [
      'the limit of an hour',
      {
        status: 403,
        body: { message: 'API rate limit exceeded for installation ID 34.' },
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1772366400' },
      },
      'rate-limit',
      /at 2026-03-01T12:00:00.000Z/,
    ],
    [
      'a secondary limit',
      {
        status: 403,
        body: {
          message:
            'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
        },
        headers: { 'retry-after': '60' },
      },
      'rate-limit',
      /in 60 s/,
    ],
    ['a limit without headers', { status: 429, text: '' }, 'rate-limit', /after a minute/],
    ['a page', { status: 200, text: '<html>Sign in</html>' }, 'enterprise-url', /127\.0\.0\.1\/api\/v3/],
    [
      'a redirect',
      { status: 302, body: { message: 'Found' }, headers: { location: 'https://login.test' } },
      'enterprise-url',
      /api\/v3/,
    ],
    ['a failure', { status: 502, body: { message: 'Server Error' } }, 'github-fails', /githubstatus/],
    [
      'an address that is not allowed',
      {
        status: 403,
        body: {
          message:
            'Although you appear to have the correct authorization credentials, the `acme` organization has an IP allow list enabled, and your IP address is not permitted to access this resource.',
        },
      },
      'address-not-allowed',
      /cluster's address/,
    ],
    ['something else', { status: 418, body: { message: 'teapot' } }, 'refused', /words/],
  ])('%s', async (_what, instead, cause, next) => {
    github.instead = () => instead;
    const findings = await one({});
    expect(causes(findings)).toEqual([cause]);
    expect(findings[0]!.next).toMatch(next);
    // Limits are no reason to ask again; failures are.
    expect(github.requests).toHaveLength(cause === 'github-fails' ? 3 : 1);
  });

  test('a failure that passes is asked again, and forgotten', async () => {
    github.instead = (_request, number) =>
      number === 1 ? { status: 502, text: '' } : number === 2 ? 'cut' : undefined;
    expect(await one({})).toEqual([]);
  });

  test('a GitHub Enterprise Server is asked at its own URL, with or without a slash at its end', async () => {
    github.base = '/api/v3';
    expect(await one({ githubAppEnterpriseBaseUrl: `${github.url}/api/v3` })).toEqual([]);
    expect(await one({ githubAppEnterpriseBaseUrl: `${github.url}/api/v3/` })).toEqual([]);
    expect(causes(await one({ githubAppEnterpriseBaseUrl: github.url }))).toEqual(['enterprise-url']);
  });

  test('an installation that the Secret does not name is looked for, as Argo CD does', async () => {
    expect(await one({ githubAppInstallationID: undefined })).toEqual([]);
    const url = `${github.url}/gamma/config`;
    const findings = await one({ githubAppInstallationID: undefined, url });
    expect(causes(findings)).toEqual(['wrong-installation']);
    expect(findings[0]!.message).toMatch(/not installed where the URL points/);
  });

  test('one credential in many Secrets is asked for once', async () => {
    const secrets = ['a', 'b', 'c'].map((name) => secretOf(name, fields({ githubAppInstallationID: '99' })));
    const { findings } = await examined({ secrets });
    expect(causes(findings)).toEqual(['wrong-installation']);
    expect(findings[0]!.evidence.at(-1)).toBe('the same in argocd/b, argocd/c');
    // By these, what Argo CD says of its Applications is seen to go back to it.
    expect(findings[0]!.names).toEqual(['127.0.0.1/acme/config', '99']);
    expect(github.requests.filter((line) => line.startsWith('POST'))).toHaveLength(1);
  });

  test('a template is tried on the repositories that take it, and on no others', async () => {
    const template = secretOf('template', fields({ url: `${github.url}/acme` }), 'repo-creds');
    const repositories = ['config', 'web', 'gone'].map((name) =>
      secretOf(name, { url: `${github.url}/acme/${name}.git` }),
    );
    const own = secretOf('own', { url: `${github.url}/acme/own`, password: 'hunter2' });
    const elsewhere = secretOf('elsewhere', { url: `${github.url}/beta/config` });
    const { findings } = await examined({ secrets: [template, ...repositories, own, elsewhere] });
    expect(causes(findings)).toEqual(['no-access']);
    expect(findings[0]!.evidence.join()).toMatch(/acme\/gone: 404$/);
    expect(github.requests.filter((line) => line.includes('/repos/'))).toHaveLength(3);
  });
});

describe('clocks', () => {
  test.each([-600, -91, 31, 120, 3_600])(
    "this machine's clock is %d s off: told, and not taken for the credential's fault",
    async (skew) => {
      github.clock = -skew;
      const findings = await one({});
      expect(causes(findings)).toEqual(['own-clock']);
      expect(findings[0]).toMatchObject({ subject: 'This machine', severity: 'warning' });
      expect(findings[0]!.message).toMatch(skew > 0 ? /fast/ : /slow/);
      expect(causes(await one({ githubAppPrivateKey: other.pem }))).toEqual(['wrong-key', 'own-clock']);
    },
  );

  test.each([-85, -5, 0, 5, 25])("this machine's clock is %d s off: GitHub bears it", async (skew) => {
    github.clock = -skew;
    expect(await one({})).toEqual([]);
  });

  test('times that are refused where the answer has no Date, or where the Date is another clock', async () => {
    github.clock = 600;
    github.dated = false;
    expect(causes(await one({}))).toEqual(['own-clock']);
    github.clock = 0;
    github.dated = true;
    github.instead = () => ({
      status: 401,
      body: { message: "'Expiration time' claim ('exp') is too far in the future" },
      headers: { date: new Date(Date.now() - 300_000).toUTCString() },
    });
    expect(causes(await one({}))).toContain('server-clock');
  });

  test.each<[number, string[]]>([
    [-600, ['clock-slow']],
    [-92, ['clock-slow']],
    [-85, []],
    [0, []],
    [28, []],
    [32, ['clock-fast']],
    [120, ['clock-fast']],
  ])('a node whose clock is %d s off is asked for: %j', async (skew, expected) => {
    const { findings } = await examined({
      secrets: [secretOf('github', fields())],
      pods: [repoServer('repo-a', 'node-a'), repoServer('repo-b', 'node-b')],
      leases: [leaseOf('node-a', 0), leaseOf('node-b', skew)],
    });
    expect(causes(findings)).toEqual(expected);
    if (expected.length > 0) {
      expect(findings[0]).toMatchObject({ subject: 'Node node-b', likelihood: 'certain', severity: 'error' });
      expect(findings[0]!.evidence.join()).toMatch(/by its clock: 401 "'(Issued at|Expiration time)' claim/);
    }
    expect(github.live.size).toBe(0);
  });
});

describe('the way to GitHub', () => {
  test('a proxy of the Secret leads there; its password is not shown', async () => {
    const proxy = await proxyTo(github.port);
    const withPassword = proxy.url.replace('//', '//me:hunter2@');
    expect(
      await one({
        url: 'https://ghe.test/acme/config',
        githubAppEnterpriseBaseUrl: 'https://ghe.test',
        proxy: withPassword,
      }),
    ).toEqual([]);
    expect(proxy.asked[0]).toBe(`ghe.test:443 Basic ${Buffer.from('me:hunter2').toString('base64')}`);
  });

  test("a proxy of the environment leads there, unless the Secret's noProxy or NO_PROXY says otherwise", async () => {
    const proxy = await proxyTo(github.port);
    const changed = { url: 'https://ghe.test/acme/config', githubAppEnterpriseBaseUrl: 'https://ghe.test' };
    expect(await one(changed, { HTTPS_PROXY: proxy.url })).toEqual([]);
    expect(causes(await one(changed, { HTTPS_PROXY: proxy.url, NO_PROXY: 'ghe.test' }))).toEqual([
      'unknown-host',
    ]);
    expect(causes(await one({ ...changed, proxy: proxy.url, noProxy: '.test' }))).toEqual(['unknown-host']);
  });

  test.each([403, 407, 502])('a proxy that answers %d is told apart from GitHub', async (status) => {
    const proxy = await proxyTo(github.port, status);
    const findings = await one({
      githubAppEnterpriseBaseUrl: 'https://ghe.test',
      url: 'https://ghe.test/acme/config',
      proxy: proxy.url.replace('//', '//me:hunter2@'),
    });
    expect(causes(findings)).toEqual(['proxy']);
    expect(findings[0]!.evidence.join()).toContain(
      `the proxy ${proxy.url} answers CONNECT ghe.test:443 with ${status}`,
    );
    expect(text(findings)).not.toContain('hunter2');
  });

  test.each(['http://127.0.0.1:1', 'no scheme at all', 'http://me:hunter2@'])(
    'a proxy that is not there: %s',
    async (proxy) => {
      const findings = await one({
        url: 'https://ghe.test/acme/config',
        githubAppEnterpriseBaseUrl: 'https://ghe.test',
        proxy,
      });
      expect(causes(findings)).toEqual(['proxy']);
      expect(text(findings)).not.toContain('hunter2');
    },
  );

  test('a certificate of an unknown authority, unless the Secret says that any will do', async () => {
    const secrets = [secretOf('github', fields())];
    const { findings } = await examined({ secrets, certificates: {} });
    expect(causes(findings)).toEqual(['certificate']);
    expect(findings[0]).toMatchObject({ severity: 'error', likelihood: 'likely' });
    expect(github.requests).toEqual([]);
    const insecure = await examined({
      secrets: [secretOf('github', fields({ insecure: 'true' }))],
      certificates: {},
    });
    expect(insecure.findings).toEqual([]);
  });

  test('a certificate of another name', async () => {
    const proxy = await proxyTo(github.port);
    const { findings } = await examined({
      secrets: [
        secretOf(
          'github',
          fields({
            url: 'https://git.test/acme/config',
            githubAppEnterpriseBaseUrl: 'https://git.test',
            proxy: proxy.url,
          }),
        ),
      ],
      certificates: { 'git.test': github.authority.certificate },
    });
    expect(causes(findings)).toEqual(['certificate']);
    expect(findings[0]!.evidence.join()).toMatch(/ERR_TLS_CERT_ALTNAME_INVALID.*by a proxy/);
  });

  test('nobody listens; something that is no TLS listens; nobody answers', async () => {
    const nobody = { githubAppEnterpriseBaseUrl: 'https://127.0.0.1:1' };
    expect(causes(await one(nobody))).toEqual(['unreachable']);
    const plain = await proxyTo(github.port);
    expect(causes(await one({ githubAppEnterpriseBaseUrl: plain.url.replace('http:', 'https:') }))).toEqual([
      'tls',
    ]);
    github.instead = () => 'hang';
    const findings = await one({}, {}, 40);
    expect(causes(findings)).toEqual(['no-answer']);
    expect(findings[0]!.evidence.join()).toContain('no answer within 0.04 s');
    github.instead = () => 'cut';
    expect(causes(await one({}))).toEqual(['cut-off']);
  });

  test('the signal ends it, with its own reason', async () => {
    github.instead = () => 'hang';
    const abort = new AbortController();
    const context = contextOf({ certificates, secrets: [secretOf('github', fields())] }, abort.signal);
    const reason = new Error('enough');
    setTimeout(() => abort.abort(reason), 30);
    await expect(githubCheck({ http: http(60_000), env: {} }).examine(context)).rejects.toBe(reason);
  });

  test('a signal that ends it while a token is out does not keep it from being revoked', async () => {
    const abort = new AbortController();
    const context = contextOf({ certificates, secrets: [secretOf('github', fields())] }, abort.signal);
    github.instead = (request) => {
      if (request.startsWith('GET /repos')) {
        abort.abort(new Error('enough'));
      }
      return undefined;
    };
    await expect(githubCheck({ http: http(), env: {} }).examine(context)).rejects.toThrow('enough');
    expect(github.live.size).toBe(0);
  });
});

describe('what may not be read', () => {
  test.each<[string, RegExp, string[]]>([
    ['list secrets', /list secrets: not allowed/, ['refused-on-one-node']],
    ['list pods', /list pods: not allowed/, []],
    ['get pods/log', /log of the pod repo-a: .*not allowed/, []],
    ['get leases', /get leases: not allowed/, ['refused-on-one-node']],
    ['get configmaps', /get configmaps: not allowed/, ['certificate', 'refused-on-one-node']],
  ])('%s is told, and the rest goes on', async (denied, unseen, expected) => {
    const report = await examined({
      denied: [denied],
      secrets: [secretOf('github', fields())],
      pods: [repoServer('repo-a', 'node-a'), repoServer('repo-b', 'node-b')],
      logs: { 'repo-b': refusedLine('34') },
    });
    expect(report.notChecked.join('\n')).toMatch(unseen);
    expect(causes(report.findings)).toEqual(expected);
  });

  test('a cluster with nothing of GitHub in it asks nobody', async () => {
    const report = await examined({ secrets: [secretOf('public', { url: 'https://github.com/a/b' })] });
    expect(report).toMatchObject({ findings: [], notChecked: [] });
    expect(github.requests).toEqual([]);
  });
});
