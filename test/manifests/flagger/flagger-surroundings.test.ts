import { ApiObject, App, Chart } from 'cdk8s';
import { Canary, MetricTemplate } from '../../../lib/manifests/flagger';
import { prometheus } from '../../../lib/shift/checks';
import { canaryProps } from './canaries';

interface Other {
  kind: string;
  name: string;
  namespace?: string;
  spec?: object;
}

/** What is said of a Canary of the Deployment `podinfo` beside others, before it is written. */
function said(others: Other[], changes: object = {}): string[] {
  const app = new App();
  const chart = new Chart(app, 'chart', { namespace: 'shop' });
  new Canary(chart, 'canary', canaryProps(changes));
  others.forEach(({ kind, name, namespace, spec }, position) => {
    new ApiObject(new Chart(app, `other-${position}`, { namespace: namespace ?? 'shop' }), 'object', {
      apiVersion: 'v1',
      kind,
      metadata: { name },
      spec,
    });
  });
  return chart.node.findAll().flatMap((each) => each.node.validate());
}

const scales = (name: string, kind = 'Deployment') => ({ scaleTargetRef: { kind, name } });
const scaler = (spec: object, name = 'scaler'): Other => ({ kind: 'HorizontalPodAutoscaler', name, spec });
const target = (spec: object): Other => ({ kind: 'Deployment', name: 'podinfo', spec });
const scaled = { autoscalerRef: { name: 'scaler' } };

test.each<[string, Other[], object, RegExp]>([
  ['its Service', [{ kind: 'Service', name: 'podinfo' }], {}, /Service "podinfo" is made by Flagger/],
  [
    'the Service of another name',
    [{ kind: 'Service', name: 'front-canary' }],
    { service: { name: 'front' } },
    /"front-canary" is made by Flagger/,
  ],
  ['its route', [{ kind: 'HTTPRoute', name: 'podinfo' }], {}, /HTTPRoute "podinfo" is made by Flagger/],
  ['a number of pods', [target({ replicas: 2 })], {}, /"podinfo" sets "replicas", which Flagger sets/],
  [
    'a second Canary',
    [{ kind: 'Canary', name: 'other', spec: { targetRef: { kind: 'Deployment', name: 'podinfo' } } }],
    {},
    /has 2 Canaries/,
  ],
  ['an autoscaler that it does not name', [scaler(scales('podinfo'))], {}, /has to be its "autoscalerRef"/],
  ['an autoscaler of something else', [scaler(scales('other'))], scaled, /does not scale its target/],
  [
    'a ScaledObject that says no kind',
    [{ kind: 'ScaledObject', name: 'queue', spec: { scaleTargetRef: { name: 'podinfo' } } }],
    {},
    /ScaledObject "queue" scales its target/,
  ],
])('%s is refused', (_, others, changes, reason) => {
  expect(said(others, changes)).toEqual([expect.stringMatching(reason)]);
  expect(said(others, changes)[0]).toMatch(/^Canary "podinfo": /);
});

test.each<[string, Other[], object]>([
  [
    'a Service of the same name in another namespace',
    [{ kind: 'Service', name: 'podinfo', namespace: 'other' }],
    {},
  ],
  [
    'a route with the provider kubernetes',
    [{ kind: 'HTTPRoute', name: 'podinfo' }],
    { provider: 'kubernetes' },
  ],
  ['a target that leaves the number of pods to it', [target({})], {}],
  ['its autoscaler', [scaler(scales('podinfo'))], scaled],
  ["somebody else's autoscaler", [scaler(scales('other'), 'other')], scaled],
  ['an autoscaler of a StatefulSet of that name', [scaler(scales('podinfo', 'StatefulSet'))], {}],
  [
    'the Service that is its target',
    [{ kind: 'Service', name: 'podinfo' }],
    { targetRef: { kind: 'Service', name: 'podinfo' } },
  ],
])('%s is fine', (_, others, changes) => {
  expect(said(others, changes)).toEqual([]);
});

test.each([
  ['elsewhere', /is in the namespace elsewhere: set it in "templateRef"/],
  ['shop', undefined],
])('a MetricTemplate in the namespace %s', (namespace, reason) => {
  const app = new App();
  const template = new MetricTemplate(new Chart(app, 'templates', { namespace }), 'template', {
    name: 'queue',
    check: prometheus.query({ address: 'https://prometheus.example.com', query: 'queue_length', max: 9 }),
  });
  const chart = new Chart(app, 'chart', { namespace: 'shop' });
  const canary = new Canary(chart, 'canary', canaryProps({ analysis: { metrics: [template.metric()] } }));
  expect(canary.node.validate()).toEqual(reason ? [expect.stringMatching(reason)] : []);
  if (reason) {
    expect(() => app.synth()).toThrow(reason);
  }
});
