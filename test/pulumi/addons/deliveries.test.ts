import * as pulumi from '@pulumi/pulumi';
import * as fc from 'fast-check';
import { parse } from 'yaml';
import { App, Chart } from 'cdk8s';
import { formatProblem as line } from '../../../lib/core/validation';
import { ApplicationSet, AppProject, Repository } from '../../../lib/manifests/argocd';
import type { Addon, AddonCluster, AddonDestination, Delivery } from '../../../lib/pulumi/addons';
import {
  addonsHelmfile,
  argoAddons,
  awsLoadBalancerController,
  certManager,
  checkAddons,
  HelmAddon,
  installAddons,
  moveToPulumiSteps,
} from '../../../lib/pulumi/addons';
import { wavesOf } from '../../../lib/pulumi/addons/delivery/argo';
import { deliveryNotes } from '../../../lib/pulumi/addons/delivery/delivery';
import { register } from '../../pulumi-mocks';
import { slot } from './slot';

const release = 'kubernetes:helm.sh/v3:Release';

/** An add-on from a chart of a repository. */
function charted(name: string, over: Partial<ConstructorParameters<typeof HelmAddon>[0]> = {}): HelmAddon {
  return new HelmAddon({
    name,
    chart: name,
    repository: 'https://charts.example.com',
    version: '1.2.3',
    namespace: 'tools',
    ...over,
  });
}

function slotOf(slotName: string): AddonCluster {
  return {
    name: `apps-${slotName}`,
    autoMode: false,
    clusterName: `apps-${slotName}`,
    clusterArn: `arn:aws:eks:eu-west-1:123456789012:cluster/apps-${slotName}`,
    region: 'eu-west-1',
    vpcId: 'vpc-1',
  };
}

describe('who delivers what', () => {
  const own: Addon = { name: 'own', requires: [], install: () => ({ resources: [] }) };

  test.each<[string, Addon[], RegExp[]]>([
    ['all by Pulumi', [charted('a'), charted('b', { requires: ['a'] })], []],
    [
      'later deliveries after Pulumi',
      [charted('a'), charted('b', { requires: ['a'], deliveredBy: 'argocd' })],
      [],
    ],
    [
      'Pulumi after a later courier',
      [charted('a', { deliveredBy: 'argocd' }), charted('b', { requires: ['a'] })],
      [
        /addons\[1\]\.requires\[0\]: "a": must be an add-on that is there by then: Pulumi delivers this one, and Argo CD/,
      ],
    ],
    [
      'two deliveries that do not wait for each other',
      [charted('a', { deliveredBy: 'helmfile' }), charted('b', { requires: ['a'], deliveredBy: 'argocd' })],
      [/Argo CD delivers this one, and a helmfile/],
    ],
    [
      'a part that stays with Pulumi before what it needs',
      [certManager({ deliveredBy: 'argocd' }), awsLoadBalancerController({ deliveredBy: 'argocd' })],
      [/Pulumi prepares this one, and Argo CD delivers "cert-manager"/],
    ],
    [
      'no courier',
      [charted('a', { deliveredBy: 'flux' as Delivery })],
      [/deliveredBy: "flux": must be one of/],
    ],
    ['no chart', [{ ...own, deliveredBy: 'argocd' }], [/deliveredBy: "argocd": must be "pulumi"/]],
    [
      'a state',
      [charted('a', { state: 'gone' as 'absent' })],
      [/state: "gone": must be one of "present", "absent"/],
    ],
    [
      'what only Pulumi does',
      [
        charted('a', {
          deliveredBy: 'argocd',
          harden: true,
          timeoutSeconds: 60,
          releaseArgs: { lint: true },
        }),
      ],
      [/releaseArgs/, /timeoutSeconds: 60: must be left out: it is for releases of Pulumi/, /harden: true/],
    ],
    [
      'a chart that Argo CD can not reach',
      [charted('a', { deliveredBy: 'argocd', chart: './charts/a', repository: undefined })],
      [/chart: "\.\/charts\/a": must be a chart of a repository/],
    ],
  ])('%s', (_, list, expected) => {
    const found = checkAddons(list).map(line);
    expect(found).toHaveLength(expected.length);
    expected.forEach((pattern, position) => expect(found[position]).toMatch(pattern));
  });
});

describe('Pulumi', () => {
  test('keeps releases that leave the list, unless they are to go', async () => {
    const registered = await register(() => {
      installAddons(
        [charted('stays'), charted('goes', { state: 'absent' }), charted('hub', { removal: 'uninstalled' })],
        slot(),
      );
    });
    const kept = registered.ofType(release).map(({ name, retainOnDelete }) => [name, retainOnDelete]);
    expect(kept).toEqual([
      ['apps-blue-stays', true],
      ['apps-blue-goes', false],
      ['apps-blue-hub', false],
    ]);
  });

  test('prepares what others deliver, and installs nothing of it', async () => {
    const registered = await register(() => {
      const installed = installAddons(
        [
          certManager(),
          awsLoadBalancerController({ deliveredBy: 'argocd' }),
          charted('b', { deliveredBy: 'helmfile' }),
        ],
        slot(),
      );
      expect(installed.b!.resources).toEqual([]);
      expect(installed['aws-load-balancer-controller']!.resources.length).toBeGreaterThan(1);
    });
    expect(registered.ofType(release).map(({ name }) => name)).toEqual(['apps-blue-cert-manager']);
    expect(registered.ofType('aws:iam/role:Role')).toHaveLength(1);
  });
});

describe('Argo CD', () => {
  const destination = (slotName: string, addons: readonly Addon[]): AddonDestination => ({
    ...slotOf(slotName),
    slot: slotName,
    addons,
  });
  const list = [
    certManager({ deliveredBy: 'argocd' }),
    charted('after', {
      deliveredBy: 'argocd',
      requires: ['cert-manager'],
      values: ({ vpcId }) => ({ vpcId }),
    }),
    charted('bootstrap'),
  ];
  const same = (value: unknown) => value;

  test('delivers none where none says so', () => {
    expect(argoAddons('apps', [destination('blue', [charted('a')])], same)).toBeUndefined();
  });

  test('has an entry for each add-on and slot, in waves, under the names that Pulumi uses', () => {
    const { applicationSet } = argoAddons(
      'apps',
      [destination('blue', list), destination('green', list)],
      same,
    )!;
    const [generator] = applicationSet.generators as unknown as [{ elements: Record<string, unknown>[] }];
    expect(generator.elements.map(({ cluster, addon, wave }) => [cluster, addon, wave])).toEqual([
      ['apps-blue', 'cert-manager', '0'],
      ['apps-blue', 'after', '1'],
      ['apps-green', 'cert-manager', '0'],
      ['apps-green', 'after', '1'],
    ]);
    expect(generator.elements[1]).toMatchObject({
      release: 'after',
      namespace: 'tools',
      repoURL: 'https://charts.example.com',
      values: { vpcId: 'vpc-1' },
    });
  });

  test('tries each again until what it requires is there', () => {
    const { applicationSet } = argoAddons('apps', [destination('blue', list)], same)!;
    expect(applicationSet.strategy).toBeUndefined();
    expect(applicationSet.template.spec.syncPolicy).toMatchObject({
      automated: { prune: true, selfHeal: true },
      retry: { limit: 20, backoff: { maxDuration: '1m' } },
    });
  });

  test('goes through the waves in steps where that is asked for', () => {
    const { applicationSet } = argoAddons('apps', [destination('blue', list)], same, { steps: true })!;
    expect(applicationSet.strategy).toMatchObject({
      rollingSync: {
        steps: [{ matchExpressions: [{ values: ['0'] }] }, { matchExpressions: [{ values: ['1'] }] }],
      },
    });
    expect(applicationSet.template.spec.syncPolicy?.automated).toBeUndefined();
  });

  test('gets a text for each output, wherever it stands, and leaves out what is undefined', () => {
    const values = { list: [{ vpc: pulumi.output('vpc-1') }, 1], none: undefined, plain: true };
    const { applicationSet } = argoAddons(
      'apps',
      [destination('blue', [charted('a', { deliveredBy: 'argocd', values })])],
      (value) => (pulumi.Output.isInstance(value) ? 'TOKEN' : value),
    )!;
    const [generator] = applicationSet.generators as unknown as [{ elements: Record<string, unknown>[] }];
    expect(generator.elements[0]!.values).toStrictEqual({ list: [{ vpc: 'TOKEN' }, 1], plain: true });
  });

  test('has no steps where there is one wave', () => {
    const { applicationSet } = argoAddons('apps', [destination('blue', list.slice(0, 1))], same, {
      steps: true,
    })!;
    expect(applicationSet.strategy).toBeUndefined();
    expect(applicationSet.template.spec.syncPolicy).toMatchObject({
      automated: { prune: true, selfHeal: true },
    });
  });

  test('gets objects that the constructs accept, and a project for these charts alone', () => {
    const { project, repositories, applicationSet } = argoAddons('apps', [destination('blue', list)], same)!;
    const chart = new Chart(new App(), 'hub');
    new ApplicationSet(chart, 'set', { ...applicationSet, namespace: 'argocd' });
    new AppProject(chart, 'project', { ...project, namespace: 'argocd' });
    repositories.forEach((each) => new Repository(chart, each.name, { ...each, namespace: 'argocd' }));
    expect(project.sourceRepos).toEqual(['quay.io/jetstack/charts', 'https://charts.example.com']);
    expect(repositories.map(({ url, enableOCI }) => [url, enableOCI])).toEqual([
      ['quay.io/jetstack/charts', true],
    ]);
    expect(chart.toJson()).toHaveLength(3);
  });

  test('leaves what was deployed, unless the add-on is to go', () => {
    const gone = charted('gone', { deliveredBy: 'argocd', state: 'absent' });
    const { applicationSet } = argoAddons('apps', [destination('blue', [gone])], same)!;
    expect(applicationSet.syncPolicy).toEqual({ preserveResourcesOnDeletion: true });
    const [generator] = applicationSet.generators as unknown as [{ elements: Record<string, unknown>[] }];
    expect(generator.elements[0]!.absent).toBe(true);
    expect(applicationSet.templatePatch).toContain('resources-finalizer.argocd.argoproj.io');
    const staying = argoAddons('apps', [destination('blue', list)], same)!.applicationSet;
    expect(staying.templatePatch).not.toContain('finalizer');
  });
});

describe('what a preview says', () => {
  test('of what others deliver, and of what is to go', () => {
    const news = deliveryNotes(
      [
        charted('a'),
        charted('b', { deliveredBy: 'argocd' }),
        charted('c', { deliveredBy: 'helmfile' }),
        charted('d', { deliveredBy: 'argocd', state: 'absent' }),
        charted('e', { deliveredBy: 'argocd' }),
      ],
      'apps-blue',
    );
    expect(news).toEqual([
      expect.stringMatching(/^Argo CD delivers to apps-blue: b, e\. .*stays.*nothing is uninstalled/),
      expect.stringMatching(/^A helmfile delivers to apps-blue: c\. /),
      expect.stringMatching(/^To go from apps-blue: d\. This "up" uninstalls nothing/),
    ]);
    expect(deliveryNotes([charted('a')], 'apps-blue')).toEqual([]);
  });
});

describe('the way back', () => {
  const cluster = { ...slotOf('blue'), addons: [], slot: 'blue' };

  test.each([
    ['pulumi', /takeOwnership: true, atomic: false/],
    ['helmfile', /helmfile sync --selector addon=own --take-ownership$/m],
  ] as const)('to %s names the release', (to, expected) => {
    const steps = moveToPulumiSteps(charted('own', { deliveredBy: 'argocd' }), cluster, to).join('\n');
    expect(steps).toMatch(expected);
    expect(steps).toMatch(/kubectl --namespace tools delete secret --selector owner=helm,name=own$/m);
  });

  test('of what is no chart is refused', () => {
    const own: Addon = { name: 'own', requires: [], install: () => ({ resources: [] }) };
    expect(() => moveToPulumiSteps(own, cluster, 'flux' as 'pulumi')).toThrow(
      /"flux"[^]*"own": must be an add-on from a chart/,
    );
  });
});

describe('a helmfile', () => {
  const textOf = (addons: readonly Addon[]) =>
    new Promise<string>((resolve) => {
      addonsHelmfile(addons).apply(resolve);
    });

  test('has the releases in order, with what they need and the values of the cluster', async () => {
    const text = await textOf([
      charted('b', {
        deliveredBy: 'helmfile',
        requires: ['a'],
        values: ({ vpcId, clusterName }) => ({
          vpcId,
          name: pulumi.interpolate`cluster ${clusterName}`,
          template: '{{ .Release.Name }}',
        }),
      }),
      charted('a', { deliveredBy: 'helmfile', namespace: 'base', state: 'absent' }),
      charted('c'),
    ]);
    const { releases, repositories } = parse(text.replaceAll('{{ "{{" }}', '<<')) as any;
    expect(repositories).toEqual([{ name: 'charts-example-com', url: 'https://charts.example.com' }]);
    expect(releases.map(({ name, installed, needs }: any) => [name, installed, needs])).toEqual([
      ['a', false, []],
      ['b', true, ['base/a']],
    ]);
    expect(releases[1].values).toEqual([
      {
        vpcId: '{{ .Values.vpcId }}',
        name: 'cluster {{ .Values.clusterName }}',
        template: '<< .Release.Name }}',
      },
    ]);
  });

  test('is refused with the problems of the list', () => {
    expect(() => addonsHelmfile([charted('a', { requires: ['b'] })])).toThrow(/addons\[0\]\.requires\[0\]/);
  });
});

test('every wave comes after those of what it requires, and no later than it must', () => {
  const lists = fc
    .integer({ min: 1, max: 12 })
    .chain((size) =>
      fc.tuple(
        ...Array.from({ length: size }, (_, position) =>
          fc.subarray(Array.from({ length: position }, (__, before) => `addon-${before}`)),
        ),
      ),
    );
  fc.assert(
    fc.property(lists, (requirements) => {
      const list = requirements.map((requires, position) => ({ name: `addon-${position}`, requires }));
      const waves = wavesOf(list);
      for (const { name, requires } of list) {
        const earliest = Math.max(-1, ...requires.map((each) => waves.get(each)!)) + 1;
        expect(waves.get(name)).toBe(earliest);
      }
    }),
  );
});
