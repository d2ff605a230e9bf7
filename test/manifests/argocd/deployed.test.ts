import * as pulumi from '@pulumi/pulumi';
import { Chart, Testing } from 'cdk8s';
import type { RepositoryProps } from '../../../lib/manifests/argocd';
import { ClusterSecret, Repository } from '../../../lib/manifests/argocd';
import { Manifests, manifestYaml, outputToken } from '../../../lib/pulumi/bridge';
import { register, secret } from '../../pulumi-mocks';
import { objectsOf, pathsOf } from './synth';

const config: RepositoryProps = { name: 'config', url: 'https://github.com/example/config' };

describe('deployed by Pulumi', () => {
  test('outputs are put into the Secrets, secrets stay secret', async () => {
    const certificate = 'bGluZQ==';
    const registrations = await register(() => {
      const chart = new Chart(Testing.app(), 'test');
      new Repository(chart, 'repository', {
        ...config,
        credential: {
          username: 'x',
          password: outputToken(chart, pulumi.secret('a "quoted"\nsecret')),
        },
      });
      new ClusterSecret(chart, 'cluster', {
        name: 'apps-blue',
        server: outputToken(chart, pulumi.output('https://known.later.example.com')),
        config: {
          awsAuthConfig: {
            clusterName: 'apps-blue',
            roleARN: outputToken(chart, pulumi.output('arn:aws:iam::123456789012:role/a')),
          },
          tlsClientConfig: { caData: outputToken(chart, pulumi.output(certificate)) },
        },
      });
      new Manifests('argocd', { chart });
    });
    const password = secret(
      registrations.one('kubernetes:core/v1:Secret', 'argocd:argocd/config').inputs.stringData,
    );
    expect(password).toEqual({
      secret: true,
      value: { type: 'git', url: config.url, username: 'x', password: 'a "quoted"\nsecret' },
    });
    const registered = secret(
      registrations.one('kubernetes:core/v1:Secret', 'argocd:argocd/apps-blue').inputs.stringData,
    ).value;
    expect(registered.server).toBe('https://known.later.example.com');
    expect(JSON.parse(registered.config)).toEqual({
      awsAuthConfig: { clusterName: 'apps-blue', roleARN: 'arn:aws:iam::123456789012:role/a' },
      tlsClientConfig: { insecure: false, caData: certificate },
    });
  });

  test('a plain text is no token, though it went through outputToken', () => {
    expect(
      pathsOf(
        (chart) =>
          new Repository(chart, 'repository', {
            ...config,
            credential: { username: 'x', password: outputToken(chart, 'hunter2') },
          }),
      ),
    ).toEqual(['credential.password']);
  });

  test('a repository with a credential is nothing for Git', () => {
    const chart = new Chart(Testing.app(), 'test');
    new Repository(chart, 'repository', {
      ...config,
      credential: { username: 'x', password: outputToken(chart, pulumi.secret('hunter2')) },
    });
    expect(() => manifestYaml(chart)).toThrow('Secret config /stringData/password');
    expect(objectsOf((public_) => new Repository(public_, 'repository', config))).toHaveLength(1);
  });
});
