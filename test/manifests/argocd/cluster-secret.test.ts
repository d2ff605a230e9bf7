import { Chart, Testing } from 'cdk8s';
import { marker } from '../../../lib/core/tokens';
import type { ClusterSecretProps } from '../../../lib/manifests/argocd';
import { ClusterSecret } from '../../../lib/manifests/argocd';
import type { Manifest } from './synth';
import { errorOf, objectOf, pathsOf, validated } from './synth';

const caData = Buffer.from('-----BEGIN CERTIFICATE-----').toString('base64');
const blue: ClusterSecretProps = {
  name: 'apps-blue',
  labels: { env: 'production' },
  server: 'https://blue.eks.example.com',
  config: { awsAuthConfig: { clusterName: 'apps-blue' }, tlsClientConfig: { caData } },
};
const cluster = (props: Partial<ClusterSecretProps>) =>
  validated(objectOf((chart) => new ClusterSecret(chart, 'cluster', { ...blue, ...props })));
const configOf = (object: Manifest) => JSON.parse(object.stringData.config as string) as unknown;
const wrongConfig = (given: object) =>
  pathsOf((chart) => new ClusterSecret(chart, 'cluster', { ...blue, config: given as never }));

const usual = [
  ...['API_KEY', 'AWS_ACCESS_KEY_ID', 'DB_PASSWD', 'SSH_PASSPHRASE', 'GOOGLE_CREDENTIALS', 'GITHUB_PAT'],
  ...['PRIVATE_KEY_PEM', 'SIGNING_KEY', 'DB_PASS', 'GITHUB_TOKEN', 'VAULT_SECRET_ID'],
];
const plain = ['AWS_WEB_IDENTITY_TOKEN_FILE', 'AWS_PROFILE', 'KEY_ID', 'SSH_AUTH_SOCK'];

describe('ClusterSecret', () => {
  test('registers an EKS cluster without a credential', () => {
    const object = cluster({});
    expect(object.metadata).toEqual({
      name: 'apps-blue',
      namespace: 'argocd',
      labels: { env: 'production', 'argocd.argoproj.io/secret-type': 'cluster' },
    });
    expect(object.stringData).toEqual({
      name: 'apps-blue',
      server: 'https://blue.eks.example.com',
      config: expect.any(String) as string,
    });
    expect(configOf(object)).toEqual({
      awsAuthConfig: { clusterName: 'apps-blue' },
      tlsClientConfig: { insecure: false, caData },
    });
  });

  test('takes a role, a profile and a proxy, and every other setting as a text', () => {
    const object = cluster({
      clusterName: 'blue_1',
      namespaces: ['a', 'b'],
      clusterResources: false,
      project: 'apps',
      shard: 0,
      config: {
        awsAuthConfig: {
          clusterName: 'apps-blue',
          roleARN: 'arn:aws-cn:iam::123456789012:role/argocd/blue',
          profile: '/aws/profile',
        },
        tlsClientConfig: { caData, serverName: 'blue.internal' },
        proxyUrl: 'http://proxy.example.com:3128',
      },
    });
    expect(object.stringData).toMatchObject({
      name: 'blue_1',
      namespaces: 'a,b',
      clusterResources: 'false',
      project: 'apps',
      shard: '0',
    });
    expect(configOf(object)).toEqual({
      awsAuthConfig: {
        clusterName: 'apps-blue',
        roleARN: 'arn:aws-cn:iam::123456789012:role/argocd/blue',
        profile: '/aws/profile',
      },
      tlsClientConfig: { insecure: false, caData, serverName: 'blue.internal' },
      proxyUrl: 'http://proxy.example.com:3128',
    });
  });

  test('takes a program that gets a credential', () => {
    const exec = {
      command: 'argocd-k8s-auth',
      args: ['aws', '--cluster-name', 'apps-blue'],
      env: { AWS_REGION: 'eu-west-1', AWS_SESSION_TOKEN: marker(4) },
    };
    expect(configOf(cluster({ config: { execProviderConfig: exec, tlsClientConfig: { caData } } }))).toEqual({
      execProviderConfig: { apiVersion: 'client.authentication.k8s.io/v1beta1', ...exec },
      tlsClientConfig: { insecure: false, caData },
    });
  });

  test.each<[string, object, string[]]>([
    ['no way to log in', { tlsClientConfig: { caData } }, ['config']],
    [
      'two ways to log in',
      {
        awsAuthConfig: { clusterName: 'a' },
        execProviderConfig: { command: 'a' },
        tlsClientConfig: { caData },
      },
      ['config'],
    ],
    [
      'stored credentials',
      { ...blue.config, bearerToken: 'hunter2', username: 'hunter2', password: 'hunter2' },
      ['config.bearerToken', 'config.username', 'config.password'],
    ],
    [
      'a client key, and no verification',
      { ...blue.config, tlsClientConfig: { caData, keyData: 'hunter2', insecure: true } },
      ['config.tlsClientConfig.keyData', 'config.tlsClientConfig.insecure'],
    ],
    [
      'secrets in the environment',
      {
        execProviderConfig: {
          command: 'a',
          env: { AWS_SECRET_ACCESS_KEY: 'hunter2', AZURE_CLIENT_SECRET: 'hunter2', AWS_REGION: 'x' },
        },
        tlsClientConfig: { caData },
      },
      [
        'config.execProviderConfig.env.AWS_SECRET_ACCESS_KEY',
        'config.execProviderConfig.env.AZURE_CLIENT_SECRET',
      ],
    ],
    [
      'secrets in the environment, by the names that are usual',
      {
        execProviderConfig: {
          command: 'a',
          env: Object.fromEntries([...usual, ...plain].map((name) => [name, 'hunter2'])),
        },
        tlsClientConfig: { caData },
      },
      usual.map((name) => `config.execProviderConfig.env.${name}`),
    ],
    [
      'secrets among arguments, and logins in URLs',
      {
        execProviderConfig: {
          command: 'a',
          args: [
            ...['get-token', '--token=hunter2', '--client-secret', 'hunter2', '--token-cache-dir=/tmp'],
            ...[
              'https://me:hunter2@example.com',
              'https://example.com/?access_token=hunter2',
              `--token=${marker(1)}`,
            ],
            ...['--password', marker(2), 'DB_PASSWORD=hunter2', '--pass-env-credentials', '--region=x', 5],
          ],
          env: { HTTPS_PROXY: 'http://me:hunter2@proxy', ENDPOINT: 'https://example.com/?user=me' },
        },
        tlsClientConfig: { caData },
      },
      [
        ...[1, 3, 5, 6, 10, 13].map((position) => `config.execProviderConfig.args[${position}]`),
        'config.execProviderConfig.env.HTTPS_PROXY',
      ],
    ],
    [
      'fields that Argo CD does not know',
      {
        execProviderConfig: { command: 'a', bearerToken: 'hunter2' },
        tlsClientConfig: { caData },
      },
      ['config.execProviderConfig.bearerToken'],
    ],
    [
      'the same of AWS',
      { awsAuthConfig: { clusterName: 'a', secretAccessKey: 'hunter2' }, tlsClientConfig: { caData } },
      ['config.awsAuthConfig.secretAccessKey'],
    ],
    [
      'names that AWS would refuse',
      { awsAuthConfig: { clusterName: '-a', roleARN: 'admin', profile: '' }, tlsClientConfig: { caData } },
      ['config.awsAuthConfig.clusterName', 'config.awsAuthConfig.roleARN', 'config.awsAuthConfig.profile'],
    ],
    [
      'a certificate that is not in base64',
      { ...blue.config, tlsClientConfig: { caData: '-----BEGIN CERTIFICATE-----' } },
      ['config.tlsClientConfig.caData'],
    ],
    ['no certificate', { ...blue.config, tlsClientConfig: undefined }, ['config.tlsClientConfig']],
    ['a password', { ...blue.config, proxyUrl: 'http://me:hunter2@proxy:3128' }, ['config.proxyUrl']],
  ])('refuses %s', (_what, given, paths) => {
    expect(wrongConfig(given)).toEqual(paths);
    const error = errorOf(
      (chart) => new ClusterSecret(chart, 'cluster', { ...blue, config: given as never }),
    );
    expect(error.message).not.toContain('hunter2');
  });

  test.each(['https://me:hunter2@example.com', 'https://example.com/?token=hunter2'])(
    'refuses a secret in the address, without showing it: %s',
    (server) => {
      const error = errorOf((chart) => new ClusterSecret(chart, 'cluster', { ...blue, server }));
      expect(error.message).toMatch(/server: .* must be a URL that starts with "https:\/\/"/);
      expect(error.message).not.toContain('hunter2');
    },
  );

  test('every other problem comes in one error, too', () => {
    expect(
      pathsOf(
        (chart) =>
          new ClusterSecret(chart, 'cluster', {
            ...blue,
            name: marker(1),
            clusterName: 'in-cluster',
            labels: { 'argocd.argoproj.io/secret-type': 'cluster', env: 'a b' },
            server: 'http://blue.eks.example.com',
            namespaces: ['A'],
            project: '',
            shard: -1,
          }),
      ),
    ).toEqual([
      'name',
      'labels.env',
      'labels.argocd.argoproj.io/secret-type',
      'server',
      'namespaces[0]',
      'project',
      'shard',
      'clusterName',
    ]);
    expect(
      pathsOf((chart) => new ClusterSecret(chart, 'c', { ...blue, name: 'in-cluster', namespaces: [] })),
    ).toEqual(['namespaces', 'name']);
  });

  test('a cluster that is known by its ARN has no login, any other has one', () => {
    const arn = 'arn:aws:eks:eu-west-1:123456789012:cluster/apps-blue';
    expect(cluster({ server: arn, config: undefined }).stringData).toEqual({
      name: 'apps-blue',
      server: arn,
    });
    // An output may turn out to be an ARN.
    expect(cluster({ server: marker(1), config: undefined }).stringData).not.toHaveProperty('config');
    const paths = (props: object) => pathsOf((chart) => new ClusterSecret(chart, 'c', { ...blue, ...props }));
    expect(paths({ server: arn })).toEqual(['config']);
    expect(paths({ config: undefined })).toEqual(['config']);
    expect(paths({ server: 'arn:aws:s3:::bucket', config: undefined })).toEqual(['server', 'config']);
  });

  test('two clusters of one name are an error at synthesis', () => {
    const twice = (second: Partial<ClusterSecretProps>) => {
      const chart = new Chart(Testing.app(), 'test');
      new ClusterSecret(chart, 'a', blue);
      new ClusterSecret(chart, 'b', { ...blue, name: 'other', clusterName: 'apps-blue', ...second });
      return chart.node.root.node.validate();
    };
    expect(twice({})).toEqual([
      expect.stringContaining('test/b and test/a both register a cluster named "apps-blue"'),
    ]);
    expect(twice({ namespace: 'gitops' })).toEqual([]);
    expect(twice({ clusterName: 'apps-green' })).toEqual([]);
  });
});
