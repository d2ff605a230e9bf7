import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { load } from 'js-yaml';
import { manifestObjects, lint } from '../../lib/lint';
import { modelErrors } from './models';
import { crdErrors } from './shared-crds';

const root = resolve(__dirname, '../..');
const example = join(root, 'examples/podinfo');
const out = mkdtempSync(join(tmpdir(), 'cluster-canary-podinfo-'));
afterAll(() => rmSync(out, { recursive: true, force: true }));

/** No such images exist. */
const madeUp = {
  PODINFO_IMAGE: `ghcr.io/stefanprodan/podinfo@sha256:${'0a'.repeat(32)}`,
  LOAD_TESTER_IMAGE: `ghcr.io/fluxcd/flagger-loadtester@sha256:${'0b'.repeat(32)}`,
};

const synth = (environment: object) =>
  spawnSync(join(root, 'node_modules/.bin/cdk8s'), ['synth', '--output', out], {
    cwd: example,
    env: { ...process.env, ...environment, CDK8S_CHECK_UPGRADE: 'false' },
    encoding: 'utf8',
  });

const objectsOf = (chart: string): any[] =>
  readdirSync(join(out, chart)).map((file) => load(readFileSync(join(out, chart, file), 'utf8')));

/** `KIND NAME` of objects. */
const listed = (objects: any[]): string[] =>
  objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();

describe('examples/podinfo', () => {
  let podinfo: any[];
  let hub: any[];
  const named = (kind: string, name: string) =>
    podinfo.find((each) => each.kind === kind && each.metadata.name === name);

  beforeAll(() => {
    const { status, stderr } = synth(madeUp);
    expect([status, status === 0 ? '' : stderr]).toEqual([0, '']);
    podinfo = objectsOf('podinfo');
    hub = objectsOf('hub');
  });

  test('frontend, backend and load tester for the clusters; project, repository and ApplicationSet for the hub', () => {
    expect(listed(podinfo)).toEqual([
      'AnalysisTemplate backend',
      'Canary frontend',
      'Deployment frontend',
      'Deployment load-tester',
      'Deployment visitors',
      'HorizontalPodAutoscaler backend',
      'HorizontalPodAutoscaler frontend',
      'MetricTemplate errors',
      'MetricTemplate slow',
      'Namespace podinfo',
      'Rollout backend',
      'Service backend',
      'Service load-tester',
    ]);
    expect(listed(hub)).toEqual(['AppProject podinfo', 'ApplicationSet podinfo', 'Secret apps']);
  });

  test('they fit their schemas and the rules', () => {
    const objects = [...podinfo, ...hub];
    expect(modelErrors(objects)).toEqual([]);
    expect(crdErrors(objects)).toEqual([]);
    expect(lint(manifestObjects(objects), { minSeverity: 'warning' }).findings).toEqual([]);
  });

  test('nothing is in the repository that Flagger or an autoscaler sets', () => {
    const services = podinfo.filter(({ kind }) => kind === 'Service').map(({ metadata }) => metadata.name);
    expect(services.sort()).toEqual(['backend', 'load-tester']);
    expect(named('Deployment', 'frontend').spec.selector.matchLabels).toEqual({ app: 'frontend' });
    expect(named('Canary', 'frontend').spec.autoscalerRef.name).toBe('frontend');
    for (const [kind, name] of [
      ['Deployment', 'frontend'],
      ['Rollout', 'backend'],
    ] as const) {
      const { apiVersion, spec } = named(kind, name);
      expect(spec).not.toHaveProperty('replicas');
      expect(named('HorizontalPodAutoscaler', name).spec.scaleTargetRef).toEqual({ apiVersion, kind, name });
    }
  });

  test('all images are named by their digests', () => {
    const images = podinfo
      .filter(({ spec }) => spec?.template?.spec?.containers)
      .map(({ spec }) => spec.template.spec.containers[0].image as string);
    expect(new Set(images)).toEqual(new Set(Object.values(madeUp)));
  });

  test('both are evaluated by the same two figures: one by the requests of a Gateway, one by shares of its pods', () => {
    const { provider, analysis } = named('Canary', 'frontend').spec;
    expect([provider, analysis.stepWeights]).toEqual(['gatewayapi:v1', [5, 20, 50]]);
    expect(analysis.metrics.map(({ templateRef }: any) => templateRef.name)).toEqual(['errors', 'slow']);
    expect(analysis.webhooks[0].url).toBe('http://load-tester.podinfo/');
    const { steps } = named('Rollout', 'backend').spec.strategy.canary;
    expect(steps.map((step: object) => Object.keys(step)[0])).toEqual([
      ...['setWeight', 'pause', 'analysis', 'setWeight', 'pause', 'analysis'],
    ]);
    const { metrics } = named('AnalysisTemplate', 'backend').spec;
    expect(metrics.map(({ name }: any) => name)).toEqual(['errors', 'slow']);
    // The same query, but for what tells the versions apart.
    const query = (text: string) => text.replace(/\{\{ ?(target|args\.slot) ?\}\}/g, 'VERSION');
    expect(query(metrics[0].provider.prometheus.query)).toBe(
      query(named('MetricTemplate', 'errors').spec.query),
    );
  });

  test('one slot of the fleet after the other', () => {
    const { spec } = hub.find(({ kind }) => kind === 'ApplicationSet');
    expect(spec.generators).toMatchObject([
      { clusters: { selector: { matchLabels: { 'cluster-canary/fleet': 'apps' } } } },
    ]);
    const [first, second] = spec.strategy.rollingSync.steps;
    expect([first, second].map(({ matchExpressions }: any) => matchExpressions[0].values)).toEqual([
      ['green'],
      ['blue'],
    ]);
    expect(
      hub.find(({ kind }) => kind === 'AppProject').spec.destinations.map(({ name }: any) => name),
    ).toEqual(['apps-blue', 'apps-green']);
  });
});

test('without digests it says which image lacks one', () => {
  const { status, stderr } = synth({
    ...madeUp,
    PODINFO_IMAGE: 'ghcr.io/stefanprodan/podinfo:6.14.1',
    LOAD_TESTER_IMAGE: '',
  });
  expect(status).not.toBe(0);
  expect(stderr).toContain(
    'PODINFO_IMAGE: "ghcr.io/stefanprodan/podinfo:6.14.1" must be an image by its digest',
  );
  expect(stderr).toContain('LOAD_TESTER_IMAGE: "" must be');
});
