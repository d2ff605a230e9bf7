import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import { objectsInFile } from './bench/crds';
import type { ClusterObjects } from './bench/example-objects';
import { completed, previewed, synthesized } from './bench/example-objects';
import type { KubernetesObject } from './bench/kubernetes-api';
import { crdFolder } from './tools/crds';

/** The original definition, where it is at hand; else the part of it that the library writes. */
const original = resolve(
  __dirname,
  '../../../shared/crds/aws-load-balancer-controller/targetgroupbindings.yaml',
);
const targetGroupBinding = existsSync(original)
  ? original
  : join(__dirname, 'bench/definitions/target-group-binding.yaml');

let hub: ControlPlane;
let target: ControlPlane;
let clusters: ClusterObjects[];

/** What an API server says about objects, none of which is stored. */
async function refusals(plane: ControlPlane, objects: readonly KubernetesObject[]): Promise<string[]> {
  const answers = await Promise.all(
    objects.map((object) =>
      plane.api.apply(object, { dryRun: true, fieldValidation: 'Strict' }).then(
        () => [],
        (error: Error) => [`${object.kind} ${object.metadata.name}: ${error.message}`],
      ),
    ),
  );
  return answers.flat();
}

const planeOf = ({ origin }: ClusterObjects): ControlPlane =>
  origin.startsWith('examples/stacks/hub') || / hub/.test(origin) ? hub : target;
const kindsOf = (of: ControlPlane): Set<string> =>
  new Set(
    clusters
      .filter((each) => planeOf(each) === of)
      .flatMap(({ objects }) => objects)
      .map(({ kind }) => kind),
  );

beforeAll(async () => {
  [hub, target] = await Promise.all([
    controlPlane({ name: 'hub', nodes: 0 }),
    controlPlane({ name: 'target', nodes: 0 }),
  ]);
  await Promise.all([
    hub.installCrds(crdFolder('argo-cd')),
    target.installCrds(crdFolder('cert-manager')),
    target.installCrds(objectsInFile(targetGroupBinding)),
  ]);
  const answers = ['--answers', 'examples/stacks/answers.yaml'];
  clusters = [
    ...(await previewed('examples/fleet')),
    ...(await previewed('examples/stacks/slot', '--stack', 'blue', ...answers)),
    ...(await previewed('examples/stacks/slot', '--stack', 'green', ...answers)),
    ...(await previewed('examples/stacks/hub', '--stack', 'production', ...answers)),
    ...(await synthesized('examples/manifests')),
  ];
  // An object in a namespace that is not there is refused for that alone.
  for (const each of clusters) {
    const namespaces = new Set(each.objects.flatMap(({ metadata }) => metadata.namespace ?? []));
    await planeOf(each).apply(
      [...namespaces].map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
    );
  }
});

test('the examples have objects for hubs and for targets', () => {
  expect(kindsOf(hub)).toEqual(new Set(['AppProject', 'ApplicationSet', 'Secret']));
  expect(kindsOf(target)).toEqual(
    new Set(['Certificate', 'Issuer', 'MutatingWebhookConfiguration', 'Namespace', 'TargetGroupBinding']),
  );
});

test('an API server with the definitions accepts every object of the examples', async () => {
  const answers = await Promise.all(
    clusters.map(async (each) => ({
      origin: each.origin,
      refused: await refusals(planeOf(each), each.objects.map(completed)),
    })),
  );
  expect(answers).toEqual(clusters.map(({ origin }) => ({ origin, refused: [] })));
});

test('it refuses each of them with a field that nobody knows', async () => {
  for (const each of clusters) {
    const wrong = each.objects.map(completed).map((object) => ({ ...object, nonsense: true }));
    const refused = await refusals(planeOf(each), wrong);
    expect(refused).toHaveLength(wrong.length);
    expect(refused.filter((text) => !text.includes('nonsense'))).toEqual([]);
  }
});
