import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PulumiFn } from '@pulumi/pulumi/automation';
import { ClusterFleet, drainRemovedSlots } from '../../lib/pulumi/fleet';
import type { ControlPlane } from './bench/control-plane';
import { controlPlane } from './bench/control-plane';
import type { Made } from './bench/drain-world';
import { DrainWorld, ingress, loadBalancerService } from './bench/drain-world';
import type { Moto } from './bench/moto';
import { moto } from './bench/moto';
import type { PulumiStack } from './bench/pulumi-stack';
import { pulumiStack } from './bench/pulumi-stack';
import { clusterEnvironment } from './bench/pulumi-clusters';
import { temporaryFolder } from './bench/temporary';

let aws: Moto;
let world: DrainWorld;

beforeAll(async () => {
  aws = await moto();
  world = new DrainWorld(aws);
});

describe('the command', () => {
  let apps: ControlPlane;
  let hub: ControlPlane;
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'shop-green',
      namespace: 'argocd',
      labels: {
        'argocd.argoproj.io/secret-type': 'cluster',
        'cluster-canary/fleet': 'shop',
        'cluster-canary/slot': 'green',
      },
    },
    stringData: { name: 'shop-green', server: 'https://192.0.2.7', config: '{}' },
  };

  beforeAll(async () => {
    [apps, hub] = await Promise.all([controlPlane({ name: 'apps' }), controlPlane({ name: 'hub' })]);
    await hub.apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'argocd' } }, secret]);
  });

  const common = () => ['--region', aws.settings.region, '--idle-for', '0s', '--json'];
  const reached = () => ['--kubeconfig', apps.kubeconfigFile, '--tunnel'];

  test('a live API server: the hub is paused, objects go, and controllers take their things along', async () => {
    const cluster = await world.cluster('shop', 'green');
    await apps.apply([ingress('web'), loadBalancerService('tcp')]);
    world.controller(apps, await world.loadBalancer(cluster, 'k8s-web'));

    const dry = await world.drain(cluster, ...common(), ...reached(), '--dry-run');
    expect([dry.status, dry.stderr]).toEqual([1, '']);
    expect(JSON.parse(dry.stdout)).toMatchObject({
      verdict: 'left',
      objects: { acted: ['Ingress default/web', 'Service default/tcp'] },
      leftovers: [{ kind: 'loadBalancer', name: 'k8s-web' }],
    });
    expect(await world.loadBalancers()).toEqual(['k8s-web']);

    const run = await world.drain(cluster, ...common(), ...reached(), '--hub', hub.kubeconfigFile);
    expect(run.status).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({
      schemaVersion: 1,
      ...{ fleet: 'shop', slot: 'green', verdict: 'empty', clusterStatus: 'ACTIVE' },
      hubs: [{ secrets: ['shop-green'] }],
      objects: { verdict: 'empty', acted: ['Ingress default/web', 'Service default/tcp'], left: [] },
      leftovers: [],
    });
    expect(await world.loadBalancers()).toEqual([]);
    expect(await apps.api.list('networking.k8s.io/v1', 'Ingress')).toEqual([]);
    const { metadata } = await hub.api.get(secret);
    expect(metadata.annotations).toMatchObject({ 'argocd.argoproj.io/skip-reconcile': 'true' });
    expect(metadata.labels).toMatchObject({ 'cluster-canary/traffic': 'draining' });
  });

  test('a shift keeps the labels, and who registers the clusters does not fight over them', async () => {
    const slot = (name: string) => ({
      ...secret,
      metadata: {
        ...secret.metadata,
        name: `web-${name}`,
        labels: { ...secret.metadata.labels, 'cluster-canary/fleet': 'web', 'cluster-canary/slot': name },
      },
    });
    const registered = [slot('blue'), slot('green')];
    await hub.apply(registered);
    const labels = async () =>
      Object.fromEntries(
        (await Promise.all(registered.map((each) => hub.api.get(each)))).map(({ metadata }) => [
          metadata.labels['cluster-canary/slot'],
          [metadata.labels['cluster-canary/traffic'], metadata.labels['cluster-canary/active']],
        ]),
      );
    const file = join(temporaryFolder('plan'), 'plan.yaml');
    const shiftTo = async (wanted: string, live: string) => {
      const plan = {
        router: { simulated: { live: { [live]: 100 } } },
        slots: { blue: {}, green: {} },
        weights: { [wanted]: 100 },
        shift: { step: 50, every: '1s', bake: '0s' },
        labels: { fleet: 'web', hubs: [{ kubeconfig: hub.kubeconfigFile }] },
      };
      writeFileSync(file, JSON.stringify(plan));
      expect(await world.run('shift', file)).toMatchObject({ status: 0 });
    };
    await shiftTo('blue', 'green');
    expect(await labels()).toEqual({ blue: ['live', 'true'], green: ['standby', undefined] });
    await shiftTo('green', 'blue');
    expect(await labels()).toEqual({ blue: ['standby', undefined], green: ['live', 'true'] });
    await hub.apply(registered);
    expect(await labels()).toEqual({ blue: ['standby', undefined], green: ['live', 'true'] });
    const writes = hub.audit({ resource: 'secrets', name: 'web-green' }).length;
    await shiftTo('green', 'green');
    expect(hub.audit({ resource: 'secrets', name: 'web-green' })).toHaveLength(writes);
  });

  test('a slot with traffic is refused, and nothing goes', async () => {
    await apps.apply([loadBalancerService('stays')]);
    const end = await world.traffic('shop', 'green');
    const run = await world.drain('shop-green', ...common(), ...reached());
    expect([run.status, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toMatch(
      /it carries 100 % of the live traffic \(on arn:[^]*Shift its traffic away first/,
    );
    expect(await apps.api.get(loadBalancerService('stays'))).toMatchObject({
      spec: { type: 'LoadBalancer' },
    });
    await end();
  });

  test('a kubeconfig of another cluster is refused, and nothing goes', async () => {
    const run = await world.drain('shop-green', ...common(), '--kubeconfig', apps.kubeconfigFile);
    expect(run.status).toBe(2);
    expect(run.stderr).toMatch(/--kubeconfig: "https:[^]*must be a kubeconfig of EKS cluster shop-green/);
    expect(await apps.api.list('v1', 'Service', { namespace: 'default' })).toHaveLength(2);
  });

  test('without AWS credentials, or with a fleet that nobody knows, it does not run', async () => {
    expect((await world.drain('green', '--region', aws.settings.region)).status).toBe(2);
    aws.proxy.fail({ action: /^GET .clusters.shop-green/, fault: 'accessDenied' });
    const run = await world.drain('shop-green', ...common());
    expect([run.status, run.stdout]).toEqual([2, '']);
    expect(run.stderr).toMatch(/lack the right eks:DescribeCluster/);
    aws.proxy.heal();
  });

  describe('a dead API server', () => {
    let made: Made;

    beforeAll(async () => {
      await apps.kill('kube-apiserver');
      made = await world.everything('shop-green');
    });

    const ids = (found: { id: string }[]) => found.map(({ id }) => id);

    test('what is left is listed, and nothing is deleted', async () => {
      const run = await world.drain('shop-green', ...common(), ...reached());
      expect(run.status).toBe(1);
      const report = JSON.parse(run.stdout);
      expect(report).toMatchObject({ verdict: 'left', objects: { verdict: 'unreachable' }, swept: [] });
      expect(ids(report.leftovers)).toEqual([
        made.loadBalancer,
        made.targetGroup,
        made.instance,
        made.volume,
        made.networkInterface,
        made.securityGroup,
      ]);
      expect(await world.loadBalancers()).toEqual(['k8s-shop-green']);
    });

    test('a sweep wants a yes where nobody can be asked', async () => {
      const run = await world.drain('shop-green', ...common(), ...reached(), '--sweep');
      expect(run.status).toBe(2);
      expect(run.stderr).toMatch(/--sweep: true: must be with --yes/);
    });

    test("a sweep deletes it in order, and keeps data and what is not the cluster's", async () => {
      const before = aws.proxy.changes().length;
      const run = await world.drain('shop-green', ...common(), ...reached(), '--sweep', '--yes');
      expect(run.status).toBe(1);
      const report = JSON.parse(run.stdout);
      expect(ids(report.leftovers)).toEqual([made.volume]);
      expect(ids(report.swept)).toHaveLength(5);
      expect(
        aws.proxy
          .changes()
          .slice(before)
          .map(({ action }) => action),
      ).toEqual([
        'DeleteLoadBalancer',
        'DeleteTargetGroup',
        'TerminateInstances',
        'DeleteNetworkInterface',
        'RevokeSecurityGroupIngress',
        'DeleteSecurityGroup',
      ]);
      const { SecurityGroups } = await world.ec2.describeSecurityGroups({ GroupIds: [made.nodesGroup] });
      expect(SecurityGroups![0]!.IpPermissions!.map(({ FromPort }) => FromPort)).toEqual([443]);
    });

    test('without the cluster, and with the volumes to be deleted, nothing is left', async () => {
      await world.eks.deleteCluster({ name: 'shop-green' });
      const run = await world.drain('shop-green', ...common(), '--sweep', '--yes', '--volumes', 'delete');
      expect(run.status).toBe(0);
      expect(JSON.parse(run.stdout)).toMatchObject({
        ...{ verdict: 'empty', clusterStatus: 'GONE', objects: null, leftovers: [] },
        swept: [{ kind: 'volume', id: made.volume }],
      });
    });
  });
});

describe('a slot with drain, on the real engine', () => {
  const planes: Record<string, ControlPlane> = {};
  let stack: PulumiStack;
  let network: { vpcId: string; privateSubnetIds: string[] };

  /** The tests are the life of one stack, in this order. */
  beforeAll(async () => {
    for (const name of ['apps-blue', 'apps-green']) {
      planes[name] = await controlPlane({ name });
    }
    // Hooks run in the test's own process.
    Object.assign(process.env, clusterEnvironment(temporaryFolder('logins'), planes));
    const { vpcId, subnetIds } = await aws.network();
    network = { vpcId, privateSubnetIds: [...subnetIds] };
    stack = await pulumiStack(program('blue', 'green'), { aws, planes });
    expect((await stack.up()).errors).toEqual([]);
  });

  const program =
    (...slots: string[]): PulumiFn =>
    () => {
      new ClusterFleet('apps', {
        network,
        endpoint: { public: { cidrs: ['203.0.113.0/24'] } },
        drain: { idleFor: '0s', within: '30s' },
        slots: Object.fromEntries(
          slots.map((slot) => [
            slot,
            { version: '1.35', nodes: { instanceTypes: ['m7i.large'], min: 1, max: 2 } },
          ]),
        ),
      });
      return Promise.resolve({});
    };
  const clusters = async () => (await world.eks.listClusters({})).clusters!.sort();
  const services = (name: string) => planes[name]!.api.list('v1', 'Service', { namespace: 'default' });

  test('a second up changes nothing', async () => {
    const up = await stack.up();
    expect([up.errors, up.operations]).toEqual([[], []]);
  });

  test('one that leaves the program is emptied first; what is left in AWS keeps its cluster', async () => {
    await planes['apps-green']!.apply([loadBalancerService('web')]);
    const loadBalancer = await world.loadBalancer('apps-green', 'left-behind');
    const up = await stack.up({ program: program('blue') });
    expect(up.succeeded).toBe(false);
    expect(up.errors.join('\n')).toMatch(
      /slot green of fleet apps is not empty[^]*Gone, or going: Service default\/web[^]*Left in AWS: load balancer [^]*left-behind[^]*cluster-canary drain apps-green/,
    );
    expect(await clusters()).toEqual(['apps-blue', 'apps-green']);
    expect(await services('apps-green')).toHaveLength(1);

    await world.balancing.deleteLoadBalancer({ LoadBalancerArn: loadBalancer });
    const again = await stack.up({ program: program('blue') });
    expect(again.errors).toEqual([]);
    expect(await clusters()).toEqual(['apps-blue']);
  });

  test('a destroy without the program is refused by the engine', async () => {
    const destroy = await stack.destroy();
    expect(destroy.succeeded).toBe(false);
    expect(destroy.log).toMatch(/--run-program/);
    expect(await clusters()).toEqual(['apps-blue']);
  });

  test('a destroy with the program empties it', async () => {
    await planes['apps-blue']!.apply([loadBalancerService('web')]);
    await stack.stack.destroy({ runProgram: true });
    expect(await clusters()).toEqual([]);
    expect(await services('apps-blue')).toHaveLength(1);
  });

  test('with a dead API server a slot leaves by an up of a program without it, even without any', async () => {
    expect((await stack.up({ program: program('blue') })).errors).toEqual([]);
    await planes['apps-blue']!.kill('kube-apiserver');
    const loadBalancer = await world.loadBalancer('apps-blue', 'left-behind');
    const none: PulumiFn = () => Promise.resolve(drainRemovedSlots());
    const up = await stack.up({ program: none });
    expect(up.succeeded).toBe(false);
    expect(up.errors.join('\n')).toMatch(
      /API server could not be reached[^]*Left in AWS: load balancer [^]*left-behind/,
    );
    expect(await clusters()).toEqual(['apps-blue']);

    await world.balancing.deleteLoadBalancer({ LoadBalancerArn: loadBalancer });
    expect((await stack.up({ program: none })).errors).toEqual([]);
    expect(await clusters()).toEqual([]);
  });

  test('with a dead API server a destroy with the program goes straight to the list', async () => {
    expect((await stack.up({ program: program('green') })).errors).toEqual([]);
    await planes['apps-green']!.kill('kube-apiserver');
    const destroy = await stack.stack.destroy({ runProgram: true });
    expect(destroy.stdout).toMatch(/warning: The Kubernetes API server at [^]*could not be reached/);
    expect(destroy.stdout).toMatch(/slot green of fleet apps: [^]*API server could not be reached/);
    expect(await clusters()).toEqual([]);
  });
});
