import { resolve } from 'node:path';
import { preview } from '../../lib/pulumi/preview';

test('examples/helmfile: who installs what is said once, for Pulumi and for Argo CD', async () => {
  const plan = await preview({ program: resolve(__dirname, '../../examples/helmfile'), stack: 'dev' });
  const inputsOf = (name: string): any =>
    plan.resources.find((each) => each.name === name && !each.type.startsWith('cluster-canary:'))!.inputs;
  for (const name of ['apps-blue', 'apps-green']) {
    const { input } = inputsOf(`${name}-releases`);
    expect([name, input.file, input.environment, input.selectors]).toEqual([
      name,
      'helmfile.yaml.gotmpl',
      'production',
      ['name=cert-manager'],
    ]);
  }
  const { values } = inputsOf('argocd-blue-argocd');
  const [container] = values.repoServer.extraContainers;
  expect(container.image).toMatch(/^registry\.example\.com\/helmfile@sha256:/);
  const [configMap] = values.extraObjects;
  expect(configMap.data['generate.sh']).toContain("excluded='name!=cert-manager'");
  expect(values.repoServer.volumes).toContainEqual({
    name: 'helmfile-plugin',
    configMap: { name: configMap.metadata.name },
  });
}, 60_000);
