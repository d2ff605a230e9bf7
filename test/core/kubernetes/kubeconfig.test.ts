import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { stringify } from 'yaml';
import { findAccess } from '../../../lib/core/kubernetes/access';
import type { KubernetesSettings } from '../../../lib/core/kubernetes/access';
import { eksKubeconfig } from '../../../lib/core/kubernetes/eks-kubeconfig';
import { defaultLimits, isPassing, pauseBefore } from '../../../lib/core/kubernetes/requests';
import { InvalidInput } from '../../../lib/core/validation';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'kubeconfig-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const pem = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64');
const config = (
  changes: { cluster?: object; user?: object; context?: object; root?: object } = {},
): object => ({
  'current-context': 'a',
  contexts: [{ name: 'a', context: { cluster: 'c', user: 'u', ...changes.context } }],
  clusters: [{ name: 'c', cluster: { server: 'https://example.com', ...changes.cluster } }],
  users: [{ name: 'u', user: { token: 'hunter2', ...changes.user } }],
  ...changes.root,
});
const find = (settings: KubernetesSettings, env: NodeJS.ProcessEnv = {}) =>
  findAccess(settings, { env, home: join(folder, 'home'), serviceAccount: join(folder, 'nowhere') });
const problemsOf = async (settings: KubernetesSettings, env: NodeJS.ProcessEnv = {}) => {
  const error: unknown = await find(settings, env).catch((each: unknown) => each);
  expect(error).toBeInstanceOf(InvalidInput);
  expect((error as Error).message).not.toContain('hunter2');
  return (error as InvalidInput).problems.map(({ path }) => path);
};

describe('a kubeconfig', () => {
  test.each([
    ['no YAML', 'token: hunter2\n  x: [', ['kubeconfigText']],
    ['a list', '- hunter2', ['kubeconfigText']],
    ['no context chosen', config({ root: { 'current-context': '' } }), ['kubeconfigText.current-context']],
    ['an unknown context', config({ root: { 'current-context': 'b' } }), ['kubeconfigText.current-context']],
    [
      'an unknown cluster and an unknown user',
      config({ context: { cluster: 'x', user: 'y' } }),
      ['kubeconfigText.contexts.a.cluster', 'kubeconfigText.contexts.a.user'],
    ],
    ['no server', config({ cluster: { server: '' } }), ['kubeconfigText.clusters.c.server']],
    [
      'plain http',
      config({ cluster: { server: 'http://example.com' } }),
      ['kubeconfigText.clusters.c.server'],
    ],
    [
      'a certificate that is none, and a strange proxy',
      config({ cluster: { 'certificate-authority-data': 'eA==', 'proxy-url': 'ftp://me:hunter2@x' } }),
      ['kubeconfigText.clusters.c.proxy-url', 'kubeconfigText.clusters.c.certificate-authority-data'],
    ],
    [
      'half a client certificate',
      config({ user: { 'client-certificate': 'x.pem' } }),
      ['kubeconfigText.users.u'],
    ],
    [
      'a provider of old',
      config({ user: { 'auth-provider': { name: 'gcp', config: { token: 'hunter2' } } } }),
      ['kubeconfigText.users.u.auth-provider'],
    ],
    ['an unknown impersonation', config({ user: { 'as-uid': '1' } }), ['kubeconfigText.users.u.as-uid']],
    [
      'a plugin of an old version that wants to talk',
      config({
        user: { exec: { apiVersion: 'client.authentication.k8s.io/v1alpha1', interactiveMode: 'Always' } },
      }),
      ['apiVersion', 'interactiveMode', 'command'].map((each) => `kubeconfigText.users.u.exec.${each}`),
    ],
    [
      'a password in the URL of the server',
      config({ cluster: { server: 'https://me:hunter2@example.com' } }),
      ['kubeconfigText.clusters.c.server'],
    ],
    [
      'a token in the URL of the server',
      config({ cluster: { server: 'https://example.com/?token=hunter2' } }),
      ['kubeconfigText.clusters.c.server'],
    ],
    ['groups without a user', config({ user: { 'as-groups': ['viewers'] } }), ['kubeconfigText.users.u.as']],
    [
      'a field that nobody knows',
      config({ user: { 'as-gruops': ['viewers'] }, cluster: { 'proxy-ulr': 'x' } }),
      ['kubeconfigText.users.u.as-gruops', 'kubeconfigText.clusters.c.proxy-ulr'],
    ],
    [
      'null in lists, names that are numbers, a name twice',
      config({
        root: {
          clusters: [null, { name: 1 }, { name: 'c', cluster: {} }, { name: 'c' }],
          users: 'hunter2',
          contexts: [{ name: 'a', context: ['hunter2'] }],
        },
      }),
      [
        'kubeconfigText.contexts[0].context',
        'kubeconfigText.clusters[0]',
        'kubeconfigText.clusters[1].name',
        'kubeconfigText.clusters[3].name',
        'kubeconfigText.users',
      ],
    ],
    [
      'a context without its fields',
      config({ root: { contexts: [{ name: 'a' }] } }),
      ['kubeconfigText.contexts.a.cluster'],
    ],
    [
      'other types than a kubeconfig has',
      config({
        cluster: { 'insecure-skip-tls-verify': 'true', 'certificate-authority': 7, 'tls-server-name': {} },
        user: { token: 7, 'as-groups': 'viewers', as: ['x'], exec: 'hunter2', password: 'hunter2' },
        context: { namespace: 7 },
      }),
      [
        'kubeconfigText.contexts.a.namespace',
        ...['token', 'exec', 'username', 'as', 'as-groups'].map((each) => `kubeconfigText.users.u.${each}`),
        ...['tls-server-name', 'certificate-authority', 'insecure-skip-tls-verify'].map(
          (each) => `kubeconfigText.clusters.c.${each}`,
        ),
      ].sort(),
    ],
    [
      'base64 that is none',
      config({ cluster: { 'certificate-authority-data': `${pem}!hunter2` } }),
      ['kubeconfigText.clusters.c.certificate-authority-data'],
    ],
    [
      'control characters',
      config({ user: { token: 'hunter2\nX-Remote-User: admin', as: 'a\0b' } }),
      ['kubeconfigText.users.u.token', 'kubeconfigText.users.u.as'],
    ],
    [
      'arguments and an environment that no program takes',
      config({
        user: {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1',
            command: 'login',
            args: ['a\0'],
            env: [null, { name: 'A=B', value: 'hunter2' }],
          },
        },
      }),
      ['kubeconfigText.users.u.exec.args', 'kubeconfigText.users.u.exec.env'],
    ],
    [
      'another kind',
      config({ root: { kind: 'Secret', apiVersion: 'v2' } }),
      ['kubeconfigText.apiVersion', 'kubeconfigText.kind'],
    ],
    ['merge keys', 'users: [{name: u, user: {<<: {token: hunter2}}}]', ['kubeconfigText.users[0].user.<<']],
    ['a value in itself', 'users: &a [{name: u, user: {exec: {env: *a}}}]', ['kubeconfigText']],
    ['a tag of JavaScript', 'users: !!js/function hunter2', ['kubeconfigText']],
    ['two documents', 'kind: Config\n---\ntoken: hunter2', ['kubeconfigText']],
  ])('%s', async (_name, content, paths) => {
    const kubeconfigText = typeof content === 'string' ? content : stringify(content);
    const found = await problemsOf({ kubeconfigText });
    expect(_name.startsWith('other types') ? [...found].sort() : found).toEqual(paths);
  });

  test('a byte order mark, line ends of Windows, nothing in lists', async () => {
    const text = `\uFEFF${stringify(config()).replaceAll('\n', '\r\n')}preferences: {}\r\nextensions: null\r\n`;
    expect(await find({ kubeconfigText: text })).toMatchObject({ server: 'https://example.com' });
    const empty = { ...config(), contexts: null, clusters: null, users: null, 'current-context': '' };
    expect(await problemsOf({ kubeconfigText: stringify(empty) })).toEqual([
      'kubeconfigText.current-context',
    ]);
  });

  test('whatever stands in a field: InvalidInput, or an access', async () => {
    const odd = fc.oneof(
      fc.constantFrom<unknown>(null, 0, true, '', 'x', '\0', '\uFEFF', [], {}, [null], 'x'.repeat(5_000)),
      fc.jsonValue(),
    );
    const paths = [
      ...['current-context', 'contexts', 'clusters', 'users', 'kind'].map((each) => [each]),
      ...['name', 'cluster'].map((each) => ['clusters', '0', each]),
      ...['server', 'proxy-url', 'certificate-authority-data', 'tls-server-name'].map((each) => [
        ...['clusters', '0', 'cluster', each],
      ]),
      ...['cluster', 'user', 'namespace'].map((each) => ['contexts', '0', 'context', each]),
      ...['token', 'exec', 'as', 'as-groups', 'client-key-data', 'username', 'auth-provider'].map((each) => [
        ...['users', '0', 'user', each],
      ]),
      ...['command', 'args', 'env', 'apiVersion'].map((each) => ['users', '0', 'user', 'exec', each]),
    ];
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...paths), odd), { maxLength: 3 }),
        async (changes) => {
          const content: any = structuredClone(config({ user: { exec: {} } }));
          for (const [steps, value] of changes) {
            const last = steps.at(-1)!;
            const holder = steps.slice(0, -1).reduce((at, step) => at?.[step], content);
            if (typeof holder === 'object' && holder !== null) {
              holder[last] = structuredClone(value);
            }
          }
          const error: unknown = await find({ kubeconfigText: JSON.stringify(content) }).catch(
            (each: unknown) => each,
          );
          expect(error instanceof Error ? error.name : 'InvalidInput').toBe('InvalidInput');
          expect(error instanceof Error ? error.message : '').not.toContain('hunter2');
        },
      ),
      { numRuns: 500 },
    );
  });

  test('a chosen context wins over the current one', async () => {
    const both = config({
      root: {
        contexts: [
          { name: 'a', context: { cluster: 'nothing', user: 'nobody' } },
          { name: 'b', context: { cluster: 'c', namespace: 'shop' } },
        ],
      },
    });
    const found = await find({ kubeconfigText: stringify(both), context: 'b' });
    expect(found).toEqual({ server: 'https://example.com', namespace: 'shop', user: {} });
    expect(await problemsOf({ kubeconfigText: stringify(both), context: 'z' })).toEqual(['context']);
  });

  test('the one that this library writes for an EKS cluster, as Pulumi holds it', async () => {
    const text = JSON.stringify(
      eksKubeconfig({
        clusterName: 'apps-blue',
        region: 'eu-west-1',
        endpoint: 'https://x.eks.example.com',
        certificateAuthority: pem,
        proxyUrl: 'socks5://127.0.0.1:1080',
        profile: 'prod',
      }),
    );
    expect(await find({ kubeconfigText: text })).toEqual({
      server: 'https://x.eks.example.com',
      certificateAuthority: { text: '-----BEGIN CERTIFICATE-----' },
      proxyUrl: 'socks5://127.0.0.1:1080',
      user: {
        exec: {
          apiVersion: 'client.authentication.k8s.io/v1beta1',
          command: 'aws',
          args: expect.arrayContaining(['get-token', 'apps-blue']),
          env: { AWS_PROFILE: 'prod' },
          provideClusterInfo: false,
        },
      },
    });
  });
});

describe('files', () => {
  test('paths start where their kubeconfig is; programs by name do not', async () => {
    const at = join(folder, 'conf', 'config');
    mkdirSync(join(folder, 'conf'), { recursive: true });
    const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: './bin/login' };
    writeFileSync(
      at,
      stringify(
        config({
          cluster: { 'certificate-authority': 'ca.pem' },
          user: { tokenFile: '../token', 'client-certificate': '/abs.pem', 'client-key': 'key.pem', exec },
        }),
      ),
    );
    expect(await find({ kubeconfig: at })).toMatchObject({
      certificateAuthority: { file: join(folder, 'conf', 'ca.pem') },
      user: {
        token: { file: join(folder, 'token') },
        certificate: { file: '/abs.pem' },
        key: { file: join(folder, 'conf', 'key.pem') },
        exec: { command: join(folder, 'conf', 'bin', 'login') },
      },
    });
  });

  test('KUBECONFIG lists several: the first that names something wins, those that are not there do not matter', async () => {
    const [one, two] = [join(folder, 'one'), join(folder, 'two')];
    writeFileSync(
      one,
      stringify({ ...config({ cluster: { server: 'https://one' } }), 'current-context': undefined }),
    );
    writeFileSync(
      two,
      stringify({
        'current-context': 'b',
        contexts: [{ name: 'b', context: { cluster: 'c', user: 'v' } }],
        clusters: [{ name: 'c', cluster: { server: 'https://two' } }],
        users: [{ name: 'v', user: { token: 'T' } }],
      }),
    );
    const env = { KUBECONFIG: [join(folder, 'absent'), one, two].join(':') };
    expect(await find({}, env)).toEqual({ server: 'https://one', user: { token: { text: 'T' } } });
    expect(await find({ context: 'a' }, env)).toEqual({
      server: 'https://one',
      user: { token: { text: 'hunter2' } },
    });
    expect(await find({ kubeconfig: two }, env)).toMatchObject({ server: 'https://two' });
  });

  test('a file without an end, and a folder', async () => {
    expect(await problemsOf({ kubeconfig: '/dev/zero' })).toEqual(['kubeconfig']);
    expect(await problemsOf({ kubeconfig: folder })).toEqual(['kubeconfig']);
  });

  test('a named pipe, which nobody writes to, and a text that is not in UTF-8', async () => {
    const [pipe, latin1] = [join(folder, 'pipe'), join(folder, 'latin1')];
    execFileSync('mkfifo', [pipe]);
    writeFileSync(latin1, `${stringify(config())}# caf\xe9\n`, 'latin1');
    await expect(find({ kubeconfig: pipe })).rejects.toThrow(
      'must be a file that can be read (a named pipe)',
    );
    await expect(find({}, { KUBECONFIG: pipe })).rejects.toThrow('(a named pipe)');
    await expect(find({ kubeconfig: latin1 })).rejects.toThrow('(not text in UTF-8)');
  });

  test('without a home none is taken from the working folder, which somebody else may have filled', async () => {
    const before = process.cwd();
    mkdirSync(join(folder, 'cloned', '.kube'), { recursive: true });
    writeFileSync(join(folder, 'cloned', '.kube', 'config'), JSON.stringify(config()));
    process.chdir(join(folder, 'cloned'));
    try {
      await expect(
        findAccess({}, { env: {}, home: '', serviceAccount: join(folder, 'nowhere') }),
      ).rejects.toThrow('there is none at home, as HOME is empty, and there is no service account');
    } finally {
      process.chdir(before);
    }
  });

  test('else the one at home; else a problem that says where it was looked for', async () => {
    expect(await problemsOf({})).toEqual(['kubeconfig']);
    expect(await problemsOf({}, { KUBECONFIG: join(folder, 'absent') })).toEqual(['kubeconfig']);
    expect(await problemsOf({ kubeconfig: join(folder, 'absent') })).toEqual(['kubeconfig']);
    mkdirSync(join(folder, 'home', '.kube'), { recursive: true });
    writeFileSync(join(folder, 'home', '.kube', 'config'), JSON.stringify(config()));
    expect(await find({})).toMatchObject({ server: 'https://example.com' });
  });
});

test('pauses grow, stay within bounds, and are as long as the server asks', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 40 }),
      fc.option(fc.double({ min: 0, max: 1e6, noNaN: true }), { nil: undefined }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failed, asked, chance) => {
        const pause = pauseBefore(failed, defaultLimits, asked, chance);
        expect(pause).toBeGreaterThanOrEqual(Math.min((asked ?? 0) * 1000, 30_000));
        expect(pause).toBeGreaterThanOrEqual(defaultLimits.pause / 2);
        expect(pause).toBeLessThanOrEqual(37_500);
        expect(pauseBefore(failed + 1, defaultLimits, asked, chance)).toBeGreaterThanOrEqual(pause);
      },
    ),
  );
  expect([400, 404, 409, 429, 500, 501, 503].filter((each) => isPassing(each, 'always'))).toEqual([
    429, 500, 503,
  ]);
  expect([400, 404, 409, 429, 500, 501, 503].filter((each) => isPassing(each, 'unlessBegun'))).toEqual([429]);
});

test('an API server is opened without loading the client before it is asked', () => {
  jest.isolateModules(() => {
    jest.doMock('../../../lib/core/kubernetes/client', () => {
      throw new Error('loaded');
    });
    jest.doMock('yaml', () => {
      throw new Error('loaded');
    });
    expect(typeof jest.requireActual<any>('../../../lib/core/kubernetes/open').openKubernetes).toBe(
      'function',
    );
  });
});
