import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';

const root = resolve(__dirname, '../..');

/** The resources of an example, as a newcomer previews them. */
function resourcesOf(example: string): any[] {
  const args = [join(root, 'dist/cli/main.js'), 'preview', `examples/addons/${example}`, '--json'];
  const text = execFileSync(process.execPath, args, { cwd: root, encoding: 'utf8', stdio: 'pipe' });
  return JSON.parse(text).resources;
}

const releases = (resources: any[]) =>
  resources
    .filter(({ type }) => type === 'kubernetes:helm.sh/v3:Release')
    .map(({ name }) => name as string)
    .sort();
const roles = (resources: any[]) =>
  resources.filter(({ name, type }) => type === 'aws:iam/role:Role' && name.endsWith('-controller'));

describe('examples/addons/split', () => {
  const resources = resourcesOf('split');

  test('has cert-manager at bootstrap, and the roles of what Argo CD brings', () => {
    expect(releases(resources)).toEqual([
      'apps-blue-cert-manager',
      'apps-green-cert-manager',
      'argocd-blue-argocd',
    ]);
    expect(roles(resources)).toHaveLength(2);
  });

  test('lets Argo CD bring the rest to both clusters', () => {
    const [set, ...others] = resources.filter(({ type }) => type.endsWith(':ApplicationSet'));
    expect(others).toEqual([]);
    const { elements } = set.inputs.spec.generators[0].list;
    const rest = ['aws-load-balancer-controller', 'argo-rollouts', 'metrics-server'];
    expect(elements.map(({ cluster, addon }: any) => `${cluster} ${addon}`)).toEqual(
      ['apps-blue', 'apps-green'].flatMap((cluster) => rest.map((addon) => `${cluster} ${addon}`)),
    );
  });
});

test('examples/addons/one-up has all of them by Pulumi, each after what it requires', () => {
  const resources = resourcesOf('one-up');
  const addons = ['argo-rollouts', 'aws-load-balancer-controller', 'cert-manager', 'metrics-server'];
  expect(releases(resources)).toEqual(
    ['apps-blue', 'apps-green'].flatMap((slot) => addons.map((addon) => `${slot}-${addon}`)),
  );
  const controller = resources.find(
    ({ name, type }) => /Release$/.test(type) && /blue.*-controller$/.test(name),
  );
  expect(controller.dependencies.join()).toContain('apps-blue-cert-manager');
  expect(roles(resources)).toHaveLength(2);
});
