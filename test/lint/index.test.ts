import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ManifestObject, ObjectIndex } from '../../lib/lint';
import {
  admissionWebhooks,
  applicationSpecs,
  autoscalersOf,
  budgetsOf,
  indexObjects,
  issuedCertificates,
  issuerOf,
  manifestObjects,
  namespaceOf,
  readManifests,
  caBundleLocations,
  usesOfSecret,
  workflowSpecs,
  workloads,
  workloadsBehind,
} from '../../lib/lint';

const text = readFileSync(join(__dirname, 'objects.yaml'), 'utf8');
const index = indexObjects(readManifests(text, { file: 'objects.yaml', read: () => text }).objects);

const names = (objects: readonly (ManifestObject | { readonly object: ManifestObject })[]): string[] =>
  objects.map((each) => ('object' in each ? each.object : each).name);

function objectsOf(...values: object[]): ObjectIndex {
  return indexObjects(manifestObjects(values));
}

describe('the index', () => {
  const service = (name: string, namespace?: string) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, ...(namespace === undefined ? {} : { namespace }) },
  });

  test.each([
    ['the namespace that is asked for', [service('a', 'one'), service('a', 'two')], 'two', 'two'],
    ['none for another namespace', [service('a', 'one')], 'two', null],
    ['an object without a namespace may be in any', [service('a')], 'two', undefined],
    ['rather the one with the namespace', [service('a'), service('a', 'two')], 'two', 'two'],
    ['without a namespace the only one there is', [service('a', 'one')], undefined, 'one'],
    ['without a namespace none of several', [service('a', 'one'), service('a', 'two')], undefined, null],
    ['without a namespace rather the one without', [service('a', 'one'), service('a')], undefined, undefined],
  ])('finds %s', (_, values, asked, expected) => {
    const found = objectsOf(...values).find('', 'Service', asked, 'a');
    expect(found ? found.namespace : null).toBe(expected);
  });

  test('knows kinds whatever their version, and groups apart', () => {
    const objects = objectsOf(
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'new' } },
      { apiVersion: 'apps/v1beta1', kind: 'Deployment', metadata: { name: 'old' } },
      { apiVersion: 'example.com/v1', kind: 'Deployment', metadata: { name: 'other' } },
    );
    expect(names(objects.ofKind('apps', 'Deployment'))).toEqual(['new', 'old']);
    expect(objects.ofKind('', 'Deployment')).toEqual([]);
  });

  test('makes a view once', () => {
    let times = 0;
    const count = ({ all }: ObjectIndex): number => {
      times += 1;
      return all.length;
    };
    const objects = objectsOf(service('a'));
    expect([objects.view(count), objects.view(count), times]).toEqual([1, 1, 1]);
  });

  test('knows what an object owns', () => {
    const owner = index.find('apps', 'Deployment', 'shop', 'web')!;
    expect(names(index.ownedBy(owner))).toEqual(['web-1']);
  });

  test('takes what it gets for objects or leaves it', () => {
    const values = [
      { apiVersion: 'v1', kind: 'Pod', metadata: { generateName: 'a-' } },
      { apiVersion: 'v1', kind: 'Pod', metadata: 'none' },
      { apiVersion: 'v1' },
      { apiVersion: 1, kind: 'Pod' },
      null,
      'text',
      [],
      { apiVersion: 'v1', kind: 'PodList', items: [{ metadata: { name: 'b', namespace: 3 } }, 4] },
    ];
    expect(manifestObjects(values).map(({ kind, name, namespace }) => [kind, name, namespace])).toEqual([
      ['Pod', 'a-', undefined],
      ['Pod', '', undefined],
      ['Pod', 'b', undefined],
    ]);
  });
});

describe('views', () => {
  test('workloads with their pods', () => {
    const found = index
      .view(workloads)
      .all.map(({ object, replicas, containers, labels }) => [
        `${object.kind} ${object.name}`,
        replicas,
        containers.map(({ name, init }) => (init ? `init ${name}` : name)),
        labels['app'],
      ]);
    expect(found).toEqual([
      ['Deployment web', 3, ['init setup', 'server'], 'web'],
      ['Deployment odd', undefined, [], undefined],
      ['ReplicaSet web-1', 1, ['server'], 'web'],
      ['DaemonSet agent', undefined, ['agent'], 'agent'],
      ['CronJob report', undefined, ['report'], 'report'],
      ['Pod lone', undefined, ['lone'], 'web'],
    ]);
  });

  test('workloads behind a Service are those of its namespace with all of its labels', () => {
    expect(names(workloadsBehind(index, { namespace: 'shop', name: 'web' })!)).toEqual(['web', 'web-1']);
    expect(workloadsBehind(index, { namespace: 'shop', name: 'external' })).toEqual([]);
    expect(workloadsBehind(index, { namespace: 'shop', name: 'gone' })).toBeUndefined();
  });

  test('budgets and autoscalers of a workload', () => {
    const web = index.view(workloads).of(index.find('apps', 'Deployment', 'shop', 'web')!)!;
    const lone = index.view(workloads).of(index.find('', 'Pod', 'other', 'lone')!)!;
    expect(names(budgetsOf(index, web)).sort()).toEqual(['by-expression', 'everything', 'web']);
    expect(names(budgetsOf(index, lone))).toEqual([]);
    expect(names(autoscalersOf(index, web))).toEqual(['web']);
    expect(autoscalersOf(index, lone)).toEqual([]);
  });

  test('uses of a Secret', () => {
    const uses = usesOfSecret(index, 'shop', 'tls').map(({ workload, by, container, field, path, key }) => [
      workload.object.name,
      by,
      container?.name,
      field.pointer,
      path ?? key,
    ]);
    const pod = '/spec/template/spec';
    expect(uses).toEqual([
      ['web', 'subPath', 'setup', `${pod}/initContainers/0/volumeMounts/0`, '/setup'],
      ['web', 'directory', 'server', `${pod}/containers/0/volumeMounts/0`, '/tls'],
      ['web', 'volume', undefined, `${pod}/volumes/1`, undefined],
      ['web', 'env', 'server', `${pod}/containers/0/env/1`, 'tls.key'],
      ['web', 'env', 'server', `${pod}/containers/0/envFrom/0`, undefined],
    ]);
    expect(usesOfSecret(index, 'other', 'tls')).toEqual([]);
  });

  test('namespaces have their name as a label', () => {
    expect(namespaceOf(index, 'shop')).toEqual({
      name: 'shop',
      labels: { tier: 'front', 'kubernetes.io/metadata.name': 'shop' },
      complete: true,
    });
    expect(namespaceOf(index, 'unknown')).toEqual({
      name: 'unknown',
      labels: { 'kubernetes.io/metadata.name': 'unknown' },
      complete: false,
    });
  });

  test('webhooks with what holds where nothing is said', () => {
    const [first, second, third] = index.view(admissionWebhooks);
    expect(first).toMatchObject({
      type: 'mutating',
      name: 'a.example.com',
      failurePolicy: 'Fail',
      intent: 'required',
      service: { namespace: 'shop', name: 'web', port: 443, path: '/mutate' },
      namespaceSelector: { matchLabels: {}, matchExpressions: [] },
      rules: [{ operations: ['CREATE'], apiGroups: [''], resources: ['pods'], scope: '*' }],
    });
    expect(first!.objectSelector).toBeUndefined();
    expect(first!.field.pointer).toBe('/webhooks/0');
    expect(second).toMatchObject({ failurePolicy: 'Ignore', rules: [], name: '' });
    expect(second!.service).toBeUndefined();
    expect(third).toMatchObject({ type: 'validating', matchConditions: [{ name: 'c', expression: 'true' }] });
  });

  test('places with a CA', () => {
    const found = index
      .view(caBundleLocations)
      .map(({ object, by, service, caBundle }) => [object.name, by, service?.name, caBundle.pointer]);
    expect(found).toEqual([
      ['hooks', 'webhook', 'web', '/webhooks/0/clientConfig/caBundle'],
      ['hooks', 'webhook', undefined, '/webhooks/1/clientConfig/caBundle'],
      ['checks', 'webhook', 'web', '/webhooks/0/clientConfig/caBundle'],
      ['things.example.com', 'conversion', 'web', '/spec/conversion/webhook/clientConfig/caBundle'],
      ['v1.metrics.example.com', 'apiService', 'metrics', '/spec/caBundle'],
    ]);
  });

  test('certificates, their Secrets and issuers', () => {
    const certificates = index.view(issuedCertificates);
    const [leaf] = certificates.inSecret('shop', 'tls');
    expect(leaf).toMatchObject({ isCa: false, issuer: { name: 'authority', kind: 'Issuer' } });
    expect(issuerOf(index, leaf!)?.name).toBe('authority');
    const authority = certificates.named('shop', 'authority')!;
    expect(authority).toMatchObject({ isCa: true, issuer: { kind: 'ClusterIssuer' } });
    expect(issuerOf(index, authority)?.name).toBe('self-signed');
    expect(certificates.inSecret('other', 'tls')).toEqual([]);
  });

  test('workflows wherever they stand', () => {
    const found = index
      .view(workflowSpecs)
      .map(({ object, spec, templates }) => [
        object.kind,
        spec.pointer,
        templates.map(({ pointer }) => pointer),
      ]);
    expect(found).toEqual([
      ['Workflow', '/spec', ['/spec/templates/0']],
      ['CronWorkflow', '/spec/workflowSpec', ['/spec/workflowSpec/templates/0']],
    ]);
  });

  test('Applications with the values of their charts', () => {
    const sources = index
      .view(applicationSpecs)
      .flatMap(({ object, spec, sources: all }) =>
        all.map(({ chart, values, parameters }) => [
          object.kind,
          spec.pointer,
          chart,
          values?.get('deep', 'value').text,
          [...parameters],
        ]),
      );
    expect(sources).toEqual([
      ['Application', '/spec', 'one', 'from text', [['a.b', 'c']]],
      ['Application', '/spec', 'two', 'from the object', []],
      ['Application', '/spec', 'three', undefined, []],
      ['ApplicationSet', '/spec/template/spec', undefined, undefined, []],
    ]);
  });
});
