import * as pulumi from '@pulumi/pulumi';
import { Chart, Testing } from 'cdk8s';
import type { GitHubAppProps } from '../../../lib/manifests/argocd';
import { GitHubApp } from '../../../lib/manifests/argocd';
import { Manifests, outputToken } from '../../../lib/pulumi/bridge';
import { register, secret } from '../../pulumi-mocks';

const pem =
  '-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA63iarvPLlAN6xnj2U/ziexSXpn9bXQ\n-----END RSA PRIVATE KEY-----\n';
const program = (props: (chart: Chart) => Partial<GitHubAppProps>) => () => {
  const chart = new Chart(Testing.app(), 'hub');
  new GitHubApp(chart, 'github', {
    appId: 12,
    privateKey: '',
    installations: [{ name: 'github', url: 'https://github.com/acme', installationId: 34 }],
    ...props(chart),
  });
  new Manifests('hub', { chart });
};

test.each([
  ['a secret', () => pulumi.secret(pem)],
  ['an output that is none: a Secret makes it one', () => pulumi.output(pem)],
])("the key of a GitHub App is a secret in Pulumi's state, from %s", async (_what, value) => {
  const seen = await register(program((chart) => ({ privateKey: outputToken(chart, value()) })));
  const { inputs } = seen.one('kubernetes:core/v1:Secret');
  const { secret: isSecret, value: data } = secret(inputs.stringData);
  expect(isSecret).toBe(true);
  expect(data.githubAppID).toBe('12');
  expect(
    JSON.stringify([seen.all.map((each) => ({ ...each, inputs: { ...each.inputs, stringData: '' } }))]),
  ).not.toContain('MIIE');
});

test('a key in a store is registered as where it is', async () => {
  const fromStore = { secretStore: 'vault', key: 'argocd/github' };
  const seen = await register(program(() => ({ privateKey: { fromStore } })));
  const { inputs } = seen.one('kubernetes:external-secrets.io/v1:ExternalSecret');
  expect(inputs.spec.data).toEqual([
    { secretKey: 'githubAppPrivateKey', remoteRef: { key: 'argocd/github' } },
  ]);
  expect(inputs.spec.secretStoreRef).toEqual({ name: 'vault', kind: 'SecretStore' });
});

test('a literal key is refused, and not shown', () => {
  const build = program(() => ({ privateKey: pem }));
  expect(build).toThrow(/privateKey: must be exactly one token/);
  expect(build).toThrow(expect.objectContaining({ message: expect.not.stringContaining('MIIE') }));
});
