import { ApiObject, Chart, JsonPatch, Testing } from 'cdk8s';
import { InvalidInput } from '../../../lib/core/validation';
import type {
  ApiServiceProps,
  ConversionSettings,
  DefinitionManifest,
} from '../../../lib/manifests/webhooks';
import {
  ApiService,
  apiServiceProblems,
  conversionProblems,
  ConversionWebhook,
  ValidatingWebhook,
} from '../../../lib/manifests/webhooks';
import { validate } from './emitted';
import { called, gateways, things } from './policy-samples';
import { security } from './samples';

const annotations = called.caInjection!.annotations;
const conversion = {
  strategy: 'Webhook',
  webhook: {
    clientConfig: { service: { name: 'kinds', namespace: 'kinds-system', port: 443, path: '/convert' } },
    conversionReviewVersions: ['v1'],
  },
};
const withPath = { ...called, service: { ...called.service, path: '/convert' } };

describe('a conversion webhook', () => {
  test('is put on a manifest, which stays as it is', () => {
    const before = JSON.stringify(gateways);
    const chart = new Chart(Testing.app(), 'chart', { namespace: 'platform' });
    const given = { ...gateways, status: { conditions: [] } };
    const { definition, disruptionBudget } = new ConversionWebhook(chart, 'kinds', {
      ...withPath,
      definition: given,
    });
    expect(definition.toJson()).toEqual({
      ...gateways,
      metadata: { name: 'gateways.example.com', annotations },
      spec: { ...gateways.spec, conversion },
    });
    validate(definition.toJson());
    validate(disruptionBudget!.toJson());
    expect(JSON.stringify(gateways)).toBe(before);
    expect(Testing.synth(chart).map(({ kind }) => kind)).toEqual([
      'CustomResourceDefinition',
      'PodDisruptionBudget',
    ]);
  });

  test('is put on an object of the chart in place of what it has', () => {
    const chart = Testing.chart();
    const object = new ApiObject(chart, 'gateways', {
      ...gateways,
      spec: { ...gateways.spec, conversion: { strategy: 'None' } },
    });
    const webhook = new ConversionWebhook(chart, 'kinds', { ...withPath, definition: object });
    expect(webhook.definition).toBe(object);
    expect(object.toJson().spec.conversion).toEqual(conversion);
    expect(object.toJson().metadata.annotations).toEqual(annotations);
    expect(webhook.node.validate()).toEqual([]);
  });

  test('is put on a definition once', () => {
    const chart = Testing.chart();
    const definition = new ApiObject(chart, 'gateways', gateways);
    new ConversionWebhook(chart, 'one', { ...called, definition });
    expect(() => new ConversionWebhook(chart, 'two', { ...called, definition })).toThrow(
      /inject-ca-from: .*: must be left out/,
    );
  });

  test.each<[string, (definition: ApiObject) => void, RegExp]>([
    [
      'another CA',
      (each) => each.metadata.addAnnotation('cert-manager.io/inject-ca-from-secret', 'a/b'),
      /exactly one/,
    ],
    ['no CA', (each) => each.addJsonPatch(JsonPatch.remove('/metadata/annotations')), /or none|not none/],
    [
      'a literal CA',
      (each) => each.addJsonPatch(JsonPatch.add('/spec/conversion/webhook/clientConfig/caBundle', 'YQ==')),
      /caBundle/,
    ],
    [
      'another strategy',
      (each) => each.addJsonPatch(JsonPatch.replace('/spec/conversion', { strategy: 'None' })),
      /spec.conversion/,
    ],
  ])('that is spoiled later is found when it is synthesized: %s', (_, spoil, message) => {
    const webhook = new ConversionWebhook(Testing.chart(), 'kinds', { ...called, definition: gateways });
    spoil(webhook.definition);
    expect(webhook.node.validate().join()).toMatch(message);
  });

  test.each<[string, DefinitionManifest, ConversionSettings, string[]]>([
    ['another kind', { ...gateways, kind: 'Deployment' }, called, ['definition']],
    ['an old API', { ...gateways, apiVersion: 'apiextensions.k8s.io/v1beta1' }, called, ['definition']],
    ['nothing in it', {} as DefinitionManifest, called, ['definition']],
    [
      'unknown fields',
      { ...gateways, spec: { ...gateways.spec, preserveUnknownFields: true } },
      called,
      ['definition.spec.preserveUnknownFields'],
    ],
    [
      'a source of its own',
      { ...gateways, metadata: { ...gateways.metadata, annotations } },
      called,
      ['definition.metadata.annotations.cert-manager.io/inject-ca-from'],
    ],
    [
      'one replica, no CA, a broken Service',
      gateways,
      { service: { name: 'A', namespace: '' }, server: { podLabels: {}, replicas: 1 } },
      ['service.name', 'service.namespace', 'certificate', 'server.podLabels', 'server.replicas'],
    ],
    ['no version', gateways, { ...called, conversionReviewVersions: [] }, ['conversionReviewVersions']],
    ['a specification that is none', { ...gateways, spec: 'v1' as never }, called, ['definition']],
    [
      'an old version',
      gateways,
      { ...called, conversionReviewVersions: ['v1beta1'] },
      ['conversionReviewVersions'],
    ],
    [
      'an unknown version',
      gateways,
      { ...called, conversionReviewVersions: ['v1', 'v2'] },
      ['conversionReviewVersions[1]'],
    ],
  ])('is refused: %s', (_, definition, settings, paths) => {
    const found = conversionProblems(definition, settings).map(({ path }) => path);
    expect(found.sort()).toEqual([...paths].sort());
  });
});

describe('an APIService', () => {
  test('says everything but the CA bundle', () => {
    const chart = new Chart(Testing.app(), 'chart', { namespace: 'platform' });
    const { apiService } = new ApiService(chart, 'things', { ...things, metadata: { labels: { a: 'b' } } });
    expect(apiService.toJson()).toEqual({
      apiVersion: 'apiregistration.k8s.io/v1',
      kind: 'APIService',
      metadata: { name: 'v1.things.example.com', labels: { a: 'b' }, annotations },
      spec: {
        group: 'things.example.com',
        version: 'v1',
        groupPriorityMinimum: 1000,
        versionPriority: 100,
        service: { name: 'kinds', namespace: 'kinds-system', port: 443 },
      },
    });
    validate(apiService.toJson());
  });

  test('that skips verification later is found when it is synthesized', () => {
    const service = new ApiService(Testing.chart(), 'things', things);
    expect(service.node.validate()).toEqual([]);
    service.apiService.addJsonPatch(JsonPatch.add('/spec/insecureSkipTLSVerify', true));
    service.apiService.metadata.addAnnotation('cert-manager.io/inject-ca-from-secret', 'a/b');
    expect(service.node.validate()).toEqual([
      expect.stringContaining('exactly one annotation'),
      expect.stringContaining('insecureSkipTLSVerify'),
    ]);
  });

  test.each<[string, ApiServiceProps, string[]]>([
    ['no group', { ...things, group: '' }, ['group']],
    ['a broken version', { ...things, version: '1' }, ['version']],
    [
      'a path',
      { ...things, service: { ...things.service, path: '/' } as object as typeof things.service },
      ['service.path'],
    ],
    ['a name', { ...things, metadata: { name: 'x' } as object }, ['metadata.name']],
    [
      'low priorities',
      { ...things, groupPriorityMinimum: 0, versionPriority: 0 },
      ['groupPriorityMinimum', 'versionPriority'],
    ],
    [
      'high priorities',
      { ...things, groupPriorityMinimum: 20_001, versionPriority: 1001 },
      ['groupPriorityMinimum', 'versionPriority'],
    ],
    ['one replica', { ...things, server: { podLabels: { app: 'x' }, replicas: 1 } }, ['server.replicas']],
    [
      'two CAs',
      {
        ...things,
        caInjection: { annotations: { ...annotations, 'cert-manager.io/inject-ca-from-secret': 'a/b' } },
      },
      ['caInjection.annotations'],
    ],
    [
      'the CA of another Service',
      {
        ...things,
        caInjection: undefined,
        certificate: {
          caInjection: called.caInjection,
          dnsNames: ['x.y.svc'],
        } as any,
      },
      ['certificate.dnsNames'],
    ],
  ])('is refused: %s', (_, props, paths) => {
    const found = apiServiceProblems(props).map(({ path }) => path);
    expect(found.sort()).toEqual([...paths].sort());
  });
});

test('all that stands behind one Service shares one budget, or is refused', () => {
  const chart = Testing.chart();
  const { service, server } = called;
  new ValidatingWebhook(chart, 'webhook', { ...security, service, server });
  new ConversionWebhook(chart, 'conversion', { ...called, definition: gateways });
  new ApiService(chart, 'things', things);
  const budgets = Testing.synth(chart).filter(({ kind }) => kind === 'PodDisruptionBudget');
  expect(budgets).toHaveLength(1);
  const other = { podLabels: { app: 'other' }, replicas: 2 };
  expect(() => new ApiService(chart, 'others', { ...things, version: 'v2', server: other })).toThrow(
    InvalidInput,
  );
  const own = { ...other, disruptionBudget: 'exists' } as const;
  expect(
    new ApiService(chart, 'own', { ...things, version: 'v3', server: own }).disruptionBudget,
  ).toBeUndefined();
});
