import { createServer } from 'node:http';
import { Chart, Testing } from 'cdk8s';
import { PodinfoChart } from '../../../examples/podinfo/podinfo-chart';
import type { CanaryProps, FlaggerMetric } from '../../../lib/manifests/flagger';
import { Canary, MetricTemplate } from '../../../lib/manifests/flagger';
import { prometheus as checks } from '../../../lib/shift/checks';
import { onCleanUp } from './clean-up';
import type { ControlPlane } from './control-plane';
import { eventually } from './eventually';
import type { KubernetesObject } from './kubernetes-api';
import { freePort } from './temporary';

/** Namespace of the applications. */
export const shop = 'shop';

/** The image of an application's version. */
export const imageOf = (version: number): string => `registry.example.com/app:${version}`;

/** An application's Deployment; the number of pods is left to the API server and Flagger. */
export function deploymentOf(name: string, version = 1): KubernetesObject {
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace: shop },
    spec: {
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: {
          containers: [
            { name: 'app', image: imageOf(version), ports: [{ name: 'http', containerPort: 9898 }] },
          ],
        },
      },
    },
  };
}

/** A Canary as this library writes it: evaluated every 10 s by Flagger's own success rate. */
export function canaryOf(name: string, changes: Partial<CanaryProps> = {}): KubernetesObject {
  const chart = new Chart(Testing.app(), 'canary', { namespace: shop });
  const { service, analysis, provider = 'gatewayapi:v1' } = changes;
  new Canary(chart, 'canary', {
    name,
    targetRef: { name },
    ...changes,
    provider,
    service: {
      port: 9898,
      ...(provider === 'kubernetes' ? {} : { gatewayRefs: [{ name: 'public' }] }),
      ...service,
    },
    analysis: {
      interval: '10s',
      threshold: 1,
      metrics: [{ name: 'request-success-rate', thresholdRange: { min: 99 } }],
      ...analysis,
    },
  });
  return Testing.synth(chart)[0] as KubernetesObject;
}

/** A MetricTemplate that is made of a check of a cluster's shift, and the metric of it. */
export function templateOf(address: string): { object: KubernetesObject; metric: FlaggerMetric } {
  const chart = new Chart(Testing.app(), 'template', { namespace: shop });
  const requests = (more = '') =>
    `sum(increase(requests_total{pod=~"{{slot}}-[0-9a-z]+"${more}}[{{period}}]))`;
  const template = new MetricTemplate(chart, 'errors', {
    name: 'errors',
    check: checks.errorShare({ address, requests: requests(), errors: requests(',code=~"5.."'), max: 0.01 }),
  });
  return { object: Testing.synth(chart)[0] as KubernetesObject, metric: template.metric() };
}

/** examples/podinfo as it is for a cluster, with images that don't exist. */
export function podinfoObjects(): KubernetesObject[] {
  const image = (name: string) => `registry.example.com/${name}@sha256:${'0a'.repeat(32)}`;
  const chart = new PodinfoChart(Testing.app(), 'podinfo', {
    images: { podinfo: image('podinfo'), loadTester: image('load-tester') },
    host: 'www.example.com',
    gateway: { name: 'public', namespace: 'gateways' },
  });
  return Testing.synth(chart) as KubernetesObject[];
}

/** What Prometheus answers for an application; `undefined`: it knows nothing of it. */
export type Answers = (query: string) => number | undefined;

/** A server on 127.0.0.1 that answers the queries of Flagger. */
export async function prometheus(answers: Answers): Promise<string> {
  const server = createServer((request, response) => {
    const query = new URL(request.url!, 'http://localhost').searchParams.get('query') ?? '';
    const value = query === 'vector(1)' ? 1 : answers(query);
    const result = value === undefined ? [] : [{ metric: {}, value: [0, String(value)] }];
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ status: 'success', data: { resultType: 'vector', result } }));
  });
  const port = await freePort();
  await new Promise<void>((done, fail) => {
    server.once('error', fail).listen(port, '127.0.0.1', done);
  });
  onCleanUp(async () => {
    const closed = new Promise((done) => server.close(done));
    server.closeAllConnections();
    await closed;
  });
  return `http://127.0.0.1:${port}`;
}

/** Waits for a phase of a Canary. */
export function phaseOf(
  plane: ControlPlane,
  canary: KubernetesObject,
  ...phases: readonly string[]
): Promise<KubernetesObject> {
  return eventually(
    `${canary.metadata.name} ${phases.join(' or ')}`,
    async () => {
      const found = await plane.api.get(canary);
      if (!phases.includes(found['status']?.phase)) {
        throw new Error(JSON.stringify(found['status']));
      }
      return found;
    },
    { every: 300 },
  );
}

/** The route that Flagger makes of a Canary. */
export const routeOf = (name: string) => ({
  apiVersion: 'gateway.networking.k8s.io/v1',
  kind: 'HTTPRoute',
  metadata: { name, namespace: shop },
});

/** Looks at a Canary's route until told to stop, and answers its rules each time they were others. */
export function watchRules(plane: ControlPlane, name: string): { stop: () => Promise<any[][]> } {
  const seen: any[][] = [];
  let stopped = false;
  const watching = (async () => {
    while (!stopped) {
      const route = await plane.api.find(routeOf(name));
      const rules = route?.['spec'].rules;
      if (rules !== undefined && JSON.stringify(rules) !== JSON.stringify(seen.at(-1))) {
        seen.push(rules);
      }
      await new Promise((resolve) => setTimeout(resolve, 300));
    }
    return seen;
  })();
  return {
    stop: () => {
      stopped = true;
      return watching;
    },
  };
}

/** Weights of a rule: released version, new version. */
export const weightsOf = (rule: any): number[] => rule.backendRefs.map(({ weight }: any) => weight);
