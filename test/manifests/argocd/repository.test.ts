import { marker } from '../../../lib/core/tokens';
import type { RepositoryCredentialsProps, RepositoryProps } from '../../../lib/manifests/argocd';
import { Repository, RepositoryCredentials } from '../../../lib/manifests/argocd';
import { errorOf, objectOf, pathsOf, validated } from './synth';

const config: RepositoryProps = { name: 'config', url: 'https://github.com/example/config' };
const repository = (props: Partial<RepositoryProps>) =>
  validated(objectOf((chart) => new Repository(chart, 'repository', { ...config, ...props })));
const wrongRepository = (props: object) =>
  pathsOf((chart) => new Repository(chart, 'repository', { ...config, ...props }));

test('an address with a secret in its query is refused, and not shown', () => {
  const url = 'https://example.com/config?private_token=hunter2';
  expect(wrongRepository({ url })).toEqual(['url']);
  expect(errorOf((chart) => new Repository(chart, 'r', { ...config, url })).message).not.toContain('hunter2');
});

const app = { githubAppID: 12, githubAppInstallationID: '34', githubAppPrivateKey: marker(1) };

describe('Repository', () => {
  test('a public one holds where it is', () => {
    expect(repository({ labels: { team: 'a' } })).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'Opaque',
      metadata: {
        name: 'config',
        namespace: 'argocd',
        labels: { team: 'a', 'argocd.argoproj.io/secret-type': 'repository' },
      },
      stringData: { type: 'git', url: 'https://github.com/example/config' },
    });
  });

  test.each<[string, Partial<RepositoryProps>, object]>([
    [
      'a password',
      { credential: { username: 'x', password: marker(1) } },
      { username: 'x', password: marker(1) },
    ],
    ['a bearer token', { credential: { bearerToken: marker(1) } }, { bearerToken: marker(1) }],
    [
      'an SSH key',
      { url: 'git@github.com:example/config.git', credential: { sshPrivateKey: marker(1) } },
      { url: 'git@github.com:example/config.git', sshPrivateKey: marker(1) },
    ],
    [
      'a GitHub App, its numbers as texts',
      { credential: { ...app, githubAppEnterpriseBaseUrl: 'https://ghe.example.com/api/v3' } },
      {
        githubAppID: '12',
        githubAppInstallationID: '34',
        githubAppPrivateKey: marker(1),
        githubAppEnterpriseBaseUrl: 'https://ghe.example.com/api/v3',
      },
    ],
    ['the project that may use it', { project: 'apps' }, { project: 'apps' }],
    [
      'charts, under a name',
      { type: 'helm', url: 'https://charts.example.com' },
      { type: 'helm', name: 'config', url: 'https://charts.example.com' },
    ],
    [
      'charts in an OCI registry',
      {
        type: 'helm',
        url: 'registry.example.com/charts',
        enableOCI: true,
        repositoryName: 'charts',
        credential: { username: 'x', password: marker(1) },
      },
      {
        type: 'helm',
        url: 'registry.example.com/charts',
        enableOCI: 'true',
        name: 'charts',
        username: 'x',
        password: marker(1),
      },
    ],
  ])('holds %s', (_what, props, data) => {
    expect(repository(props).stringData).toEqual({
      type: 'git',
      url: 'https://github.com/example/config',
      ...data,
    });
  });

  test.each<[string, object, string[]]>([
    ['a plain password', { username: 'x', password: 'hunter2' }, ['credential.password']],
    ['a plain bearer token', { bearerToken: 'hunter2' }, ['credential.bearerToken']],
    ['a plain SSH key', { sshPrivateKey: 'hunter2' }, ['credential.sshPrivateKey']],
    [
      'a plain key of a GitHub App',
      { ...app, githubAppPrivateKey: 'hunter2' },
      ['credential.githubAppPrivateKey'],
    ],
    ['text around a token', { username: 'x', password: `hunter2${marker(1)}` }, ['credential.password']],
    ['two tokens', { username: 'x', password: marker(1) + marker(2) }, ['credential.password']],
    ['an empty password', { username: 'x', password: '' }, ['credential.password']],
    [
      'a key where a number belongs',
      { ...app, githubAppID: 'hunter2', githubAppInstallationID: 0 },
      ['credential.githubAppID', 'credential.githubAppInstallationID'],
    ],
    [
      'an API without TLS',
      { ...app, githubAppEnterpriseBaseUrl: 'http://hunter2.example.com' },
      ['credential.githubAppEnterpriseBaseUrl'],
    ],
    ['no user name', { password: marker(1) }, ['credential.username']],
    [
      'two kinds',
      { password: 'hunter2', bearerToken: 'hunter2' },
      ['credential.password', 'credential.bearerToken', 'credential'],
    ],
    ['no kind', { username: 'hunter2' }, ['credential']],
    ['fields of another kind', { bearerToken: marker(1), username: 'hunter2' }, ['credential.username']],
    [
      'fields of none',
      { bearerToken: marker(1), tlsClientCertKey: 'hunter2' },
      ['credential.tlsClientCertKey'],
    ],
  ])('refuses %s and never shows it', (_what, credential, paths) => {
    const url = 'sshPrivateKey' in credential ? 'git@github.com:example/config.git' : config.url;
    const error = errorOf(
      (chart) => new Repository(chart, 'repository', { ...config, url, credential: credential as never }),
    );
    expect(error.problems.map(({ path }) => path)).toEqual(paths);
    expect(JSON.stringify([error.message, error.problems, error.stack])).not.toContain('hunter2');
  });

  test('a credential goes over a transport that it fits and that is encrypted', () => {
    const password = { username: 'x', password: marker(1) };
    expect(wrongRepository({ url: 'http://git.example.com/a', credential: password })).toEqual(['url']);
    expect(wrongRepository({ url: 'git@github.com:a/b', credential: password })).toEqual(['url']);
    expect(wrongRepository({ credential: { sshPrivateKey: marker(1) } })).toEqual(['url']);
    expect(wrongRepository({ type: 'helm', url: 'http://charts.example.com', credential: password })).toEqual(
      ['url'],
    );
    expect(wrongRepository({ type: 'helm', credential: { bearerToken: marker(1) } })).toEqual(['credential']);
    expect(repository({ url: marker(2), credential: password }).stringData.url).toBe(marker(2));
    expect(repository({ url: 'http://git.example.com/a' }).stringData.url).toBe('http://git.example.com/a');
  });

  test('every problem comes in one error, and a URL with a credential in it is not shown', () => {
    const error = errorOf(
      (chart) =>
        new Repository(chart, 'repository', {
          name: 'Config',
          url: 'oci://x:hunter2@registry.example.com',
          enableOCI: true,
          project: 'a b',
          repositoryName: '',
          labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
        }),
    );
    expect(error.problems.map(({ path }) => path)).toEqual([
      'name',
      'labels.argocd.argoproj.io/secret-type',
      'url',
      'repositoryName',
      'project',
      'enableOCI',
    ]);
    expect(error.message).not.toContain('hunter2');
  });
});

describe('RepositoryCredentials', () => {
  const github: RepositoryCredentialsProps = {
    name: 'github',
    url: 'https://github.com/example',
    credential: app,
  };

  test('holds one credential for all repositories below a URL', () => {
    const object = validated(objectOf((chart) => new RepositoryCredentials(chart, 'credentials', github)));
    expect(object.metadata.labels).toEqual({ 'argocd.argoproj.io/secret-type': 'repo-creds' });
    expect(object.stringData).toEqual({
      type: 'git',
      url: 'https://github.com/example',
      githubAppID: '12',
      githubAppInstallationID: '34',
      githubAppPrivateKey: marker(1),
    });
  });

  test('is nothing without one', () => {
    expect(
      pathsOf(
        (chart) =>
          new RepositoryCredentials(chart, 'credentials', { ...github, credential: undefined as never }),
      ),
    ).toEqual(['credential']);
  });
});
