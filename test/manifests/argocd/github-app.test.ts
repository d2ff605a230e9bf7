import { generateKeyPairSync } from 'node:crypto';
import { ApiObject, Chart, Testing } from 'cdk8s';
import * as fc from 'fast-check';
import { marker } from '../../../lib/core/tokens';
import type { ExternalValue, GitHubAppProps } from '../../../lib/manifests/argocd';
import {
  GitHubApp,
  forbidPlainTextKeys,
  Repository,
  RepositoryCredentials,
} from '../../../lib/manifests/argocd';
import { holdsPrivateKey } from '../../../lib/manifests/argocd/secrets';
import { errorOf, objectOf, objectsOf, pathsOf, problemsOf, validated } from './synth';

const stored: ExternalValue = {
  fromStore: { clusterSecretStore: 'aws', key: 'argocd/github', property: 'privateKey' },
};
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();

describe('GitHubApp', () => {
  const installation = { name: 'github-acme', url: 'https://github.com/acme', installationId: 34 };
  const app: GitHubAppProps = { appId: 12, privateKey: marker(1), installations: [installation] };
  const made = (props: Partial<GitHubAppProps>) =>
    objectsOf((chart) => new GitHubApp(chart, 'github', { ...app, ...props }));
  const wrong = (props: object) =>
    problemsOf((chart) => new GitHubApp(chart, 'github', { ...app, ...props } as never));
  const paths = (props: object) => wrong(props).map((line) => line.slice(0, line.indexOf(':')));

  test('makes a Secret for each installation and each repository, with one key', () => {
    const [template, repository, ...more] = made({
      namespace: 'gitops',
      repositories: [
        {
          name: 'config',
          url: 'https://github.com/beta/config',
          installationId: '35',
          project: 'apps',
          labels: { team: 'a' },
        },
      ],
    }).map(validated);
    expect(more).toEqual([]);
    const credential = { githubAppID: '12', githubAppPrivateKey: marker(1), type: 'git' };
    expect(template!.metadata).toEqual({
      name: 'github-acme',
      namespace: 'gitops',
      labels: { 'argocd.argoproj.io/secret-type': 'repo-creds' },
    });
    expect(template!.stringData).toEqual({
      ...credential,
      url: 'https://github.com/acme',
      githubAppInstallationID: '34',
    });
    expect(repository!.metadata.labels).toEqual({
      team: 'a',
      'argocd.argoproj.io/secret-type': 'repository',
    });
    expect(repository!.stringData).toEqual({
      ...credential,
      url: 'https://github.com/beta/config',
      githubAppInstallationID: '35',
      project: 'apps',
    });
  });

  test('takes everything from a store: an ExternalSecret makes the Secret, and cdk8s synth writes it', () => {
    const value = (property: string): ExternalValue => ({
      fromStore: { ...stored.fromStore, property, version: '3' },
    });
    const object = objectOf(
      (chart) =>
        new GitHubApp(chart, 'github', {
          appId: value('id'),
          privateKey: stored,
          installations: [
            { ...installation, installationId: value('installation'), annotations: { note: 'x' } },
          ],
          refreshInterval: '10m',
        }),
    );
    expect(object).toEqual({
      apiVersion: 'external-secrets.io/v1',
      kind: 'ExternalSecret',
      metadata: { name: 'github-acme', namespace: 'argocd', annotations: { note: 'x' } },
      spec: {
        secretStoreRef: { name: 'aws', kind: 'ClusterSecretStore' },
        refreshInterval: '10m',
        target: {
          name: 'github-acme',
          creationPolicy: 'Owner',
          template: {
            type: 'Opaque',
            engineVersion: 'v2',
            metadata: {
              labels: { 'argocd.argoproj.io/secret-type': 'repo-creds' },
              annotations: { note: 'x' },
            },
            data: {
              url: 'https://github.com/acme',
              type: 'git',
              githubAppID: '{{ .githubAppID }}',
              githubAppInstallationID: '{{ .githubAppInstallationID }}',
              githubAppPrivateKey: '{{ .githubAppPrivateKey }}',
            },
          },
        },
        data: [
          { secretKey: 'githubAppID', remoteRef: { key: 'argocd/github', property: 'id', version: '3' } },
          {
            secretKey: 'githubAppInstallationID',
            remoteRef: { key: 'argocd/github', property: 'installation', version: '3' },
          },
          { secretKey: 'githubAppPrivateKey', remoteRef: { key: 'argocd/github', property: 'privateKey' } },
        ],
      },
    });
  });

  test.each([
    ['https://github.com/acme', undefined, []],
    ['https://ghe.example.com/acme', 'https://ghe.example.com/api/v3', []],
    ['https://ghe.example.com/acme', 'https://ghe.example.com/api/v3/', []],
    ['https://ghe.example.com:8443/acme', 'https://ghe.example.com:8443/api/v3', []],
    ['https://acme.ghe.com/acme', 'https://api.acme.ghe.com', []],
    [marker(2), 'https://ghe.example.com/api/v3', []],
    ['https://ghe.example.com/acme', marker(2), []],
    ['https://ghe.example.com/acme', undefined, ['installations[0].url']],
    ['https://github.com/acme', 'https://ghe.example.com/api/v3', ['installations[0].url']],
    ['https://ghe.example.com/acme', 'https://ghe.example.com', ['enterpriseUrl']],
    ['https://acme.ghe.com/acme', 'https://acme.ghe.com/api', ['enterpriseUrl']],
    ['https://github.com/acme', 'http://hunter2.example.com', ['enterpriseUrl']],
    ['git@github.com:acme', undefined, ['installations[0].url']],
  ])('URL %s and API %s: %j', (url, enterpriseUrl, expected) => {
    const props = {
      ...app,
      installations: [{ ...installation, url }],
      ...(enterpriseUrl === undefined ? {} : { enterpriseUrl }),
    };
    if (expected.length === 0) {
      expect(made(props)).toHaveLength(1);
    } else {
      expect(paths(props)).toEqual(expected);
    }
  });

  test('everything that is wrong is told at once, once, and without a value', () => {
    const error = errorOf(
      (chart) =>
        new GitHubApp(chart, 'github', {
          appId: 'hunter2',
          privateKey: pem,
          namespace: 'No',
          installations: [
            { ...installation, installationId: 0 },
            { ...installation, url: 'https://github.com/beta' },
          ],
        }),
    );
    expect(error.problems.map(({ path }) => path)).toEqual([
      'name[1]',
      'namespace',
      'appId',
      'installations[0].installationId',
      'privateKey',
    ]);
    const text = JSON.stringify([error.message, error.stack, error.problems]);
    expect(text).not.toContain('hunter2');
    expect(
      pem
        .split('\n')
        .slice(1, -2)
        .some((line) => text.includes(line)),
    ).toBe(false);
  });

  test.each([
    [{ installations: [] }, ['installations']],
    [{ privateKey: undefined }, ['privateKey']],
    [{ privateKey: `x${marker(1)}` }, ['privateKey']],
    [{ privateKey: { fromStore: undefined } }, ['privateKey.fromStore']],
    [{ privateKey: { fromStore: { key: 'a' } } }, ['privateKey.fromStore']],
    [
      { privateKey: { fromStore: { secretStore: 'a', clusterSecretStore: 'b', key: 'a' } } },
      ['privateKey.fromStore'],
    ],
    [
      { privateKey: { fromStore: { secretStore: 'A b', key: '' } } },
      ['privateKey.fromStore.secretStore', 'privateKey.fromStore.key'],
    ],
    [
      { privateKey: { fromStore: { secretStore: 'a', key: 'a', value: 'hunter2' } } },
      ['privateKey.fromStore.value'],
    ],
    [{ appId: stored }, ['privateKey']],
    [{ privateKey: stored, appId: { fromStore: { secretStore: 'aws', key: 'a' } } }, ['privateKey']],
    [{ privateKey: stored, refreshInterval: 'often' }, ['refreshInterval']],
    [
      { privateKey: stored, installations: [{ ...installation, url: 'https://github.com/{{x}}' }] },
      ['installations[0].url'],
    ],
  ])('refuses %j', (props, expected) => {
    expect(paths(props)).toEqual(expected);
    expect(JSON.stringify(wrong(props))).not.toContain('hunter2');
  });

  test('a refresh of 0 means once', () => {
    expect(made({ privateKey: stored, refreshInterval: '0' })[0].spec.refreshInterval).toBe('0');
  });
});

describe('other credentials from a store', () => {
  test.each([
    [
      'a password',
      'https://github.com/a',
      { username: 'x', password: stored },
      { username: 'x', password: '{{ .password }}' },
    ],
    [
      'a bearer token',
      'https://github.com/a',
      { bearerToken: stored },
      { bearerToken: '{{ .bearerToken }}' },
    ],
    [
      'an SSH key',
      'git@github.com:a/b',
      { sshPrivateKey: stored },
      { sshPrivateKey: '{{ .sshPrivateKey }}' },
    ],
  ])('%s', (_what, url, credential, data) => {
    const { spec, metadata } = objectOf(
      (chart) =>
        new Repository(chart, 'r', {
          name: 'r',
          url,
          credential: credential as never,
          labels: { team: 'a' },
        }),
    );
    expect(metadata.labels).toEqual({ team: 'a' });
    expect(spec.target.template.data).toEqual({ url, type: 'git', ...data });
    expect(spec.data).toHaveLength(1);
  });

  test('a secret beside a value of a store would stand in the clear', () => {
    const credential = { username: stored, password: marker(1) };
    expect(
      pathsOf(
        (chart) =>
          new RepositoryCredentials(chart, 'r', { name: 'r', url: 'https://github.com/a', credential }),
      ),
    ).toEqual(['credential.password']);
  });
});

describe('a key in the clear', () => {
  const chartWith = (build: (chart: Chart) => void): Chart => {
    const chart = new Chart(Testing.app(), 'hub');
    build(chart);
    return chart;
  };
  const problems = (chart: Chart): string[] => chart.node.root.node.validate();
  const secret = (chart: Chart, data: object): ApiObject =>
    new ApiObject(chart, 'mine', { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'mine' }, ...data });
  const base64 = Buffer.from(pem).toString('base64');

  test.each<[string, object, string]>([
    ['in stringData', { stringData: { key: pem } }, '/stringData/key'],
    ['in data', { data: { key: base64 } }, '/data/key'],
    ['in data, in lines', { data: { key: base64.replace(/.{76}/g, '$&\n') } }, '/data/key'],
    [
      'among other text',
      { stringData: { values: `a: |\n  ${pem.replaceAll('\n', '\n  ')}` } },
      '/stringData/values',
    ],
    ['as JSON', { stringData: { json: JSON.stringify({ pem }) } }, '/stringData/json'],
    [
      'encrypted, which is a key, too',
      {
        stringData: {
          key: privateKey.export({ type: 'pkcs1', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
        },
      },
      '/stringData/key',
    ],
  ])('%s fails the synthesis, which tells where', (_what, data, pointer) => {
    const chart = chartWith((each) => {
      secret(each, data);
      new Repository(each, 'public', { name: 'public', url: 'https://github.com/a/b' });
    });
    const found = problems(chart);
    expect(found).toEqual([
      expect.stringContaining(`Secret mine (hub/mine) ${pointer}: a private key in the clear`),
    ]);
    expect(
      pem
        .split('\n')
        .slice(1, -2)
        .some((line) => found.join().includes(line)),
    ).toBe(false);
    expect(() => (chart.node.root as ReturnType<typeof Testing.app>).synth()).toThrow(
      /private key in the clear/,
    );
  });

  test('is refused in every kind of object, and told once', () => {
    const chart = chartWith((each) => {
      new ApiObject(each, 'map', {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'map' },
        data: { [pem]: 'x' },
      });
      forbidPlainTextKeys(each);
      forbidPlainTextKeys(each);
      new GitHubApp(each, 'app', {
        appId: 1,
        privateKey: stored,
        installations: [{ name: 'a', url: 'https://github.com/a', installationId: 2 }],
      });
    });
    expect(problems(chart)).toEqual([
      expect.stringContaining('ConfigMap map (hub/map) a key of it: a private key'),
    ]);
  });

  test('what is no key is left alone', () => {
    const chart = chartWith((each) => {
      secret(each, {
        stringData: { note: 'begins with -----BEGIN RSA PRIVATE KEY-----', token: marker(1), text: 'hello' },
        data: {
          certificate: Buffer.from(pem.replaceAll('RSA PRIVATE KEY', 'CERTIFICATE')).toString('base64'),
        },
      });
      forbidPlainTextKeys(each);
    });
    expect(problems(chart)).toEqual([]);
    expect(chart.toJson()).toHaveLength(1);
  });

  test('is recognised wherever it begins, and a long text costs no more than its length', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        expect(holdsPrivateKey(before + pem + after)).toBe(true);
        expect(holdsPrivateKey(Buffer.from(before + pem).toString('base64'))).toBe(true);
        expect(holdsPrivateKey(before + after)).toBe(false);
      }),
      { numRuns: 50 },
    );
    const begun = performance.now();
    holdsPrivateKey('-----BEGIN RSA PRIVATE KEY-----\n'.repeat(20_000));
    holdsPrivateKey('A'.repeat(1_000_000));
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});
