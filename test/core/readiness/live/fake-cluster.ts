import { gzipSync } from 'node:zlib';
import type { KubernetesApi } from '../../../../lib/core/kubernetes/api';
import type { ReadinessQuestion } from '../../../../lib/core/readiness/report';
import type { Received, Reply } from '../../kubernetes/api-server';
import { ApiServer, failure } from '../../kubernetes/api-server';

/** Kinds by version: `apps/v1` has `deployments Deployment`. */
const served: Readonly<Record<string, readonly string[]>> = {
  v1: ['pods Pod', 'secrets Secret', 'services Service', 'namespaces Namespace', 'endpoints Endpoints'],
  'apps/v1': ['deployments Deployment', 'statefulsets StatefulSet', 'daemonsets DaemonSet'],
  'batch/v1': ['cronjobs CronJob'],
  'policy/v1': ['poddisruptionbudgets PodDisruptionBudget'],
  'autoscaling/v2': ['horizontalpodautoscalers HorizontalPodAutoscaler'],
  'apiextensions.k8s.io/v1': ['customresourcedefinitions CustomResourceDefinition'],
};

const silent = 'metrics.example.com/v1';

const resources = (names: readonly string[] = []): readonly object[] =>
  names.map((each) => {
    const [resource, kind] = each.split(' ');
    return { resource, responseKind: { kind }, verbs: ['list'] };
  });

/** A cluster of one API server, whose objects are a table by path: `/apis/apps/v1/deployments`. */
export class FakeCluster {
  public static async start(): Promise<FakeCluster> {
    return new FakeCluster(await ApiServer.start());
  }

  /** Objects of lists, and single ones, by path. */
  public objects: Readonly<Record<string, unknown>> = {};
  /** What `/metrics` says. */
  public metrics = '';
  /** Paths that are answered by something else. */
  public replies: Readonly<Record<string, Reply>> = {};
  /** Whether an API is named whose server is down. */
  public withSilent = false;
  private readonly opened: KubernetesApi[] = [];

  private constructor(public readonly server: ApiServer) {
    server.script((request) => this.answer(request));
  }

  /** Forgets what was asked and answered. */
  public clear(): void {
    this.objects = {};
    this.metrics = '';
    this.replies = {};
    this.withSilent = false;
    this.server.script((request) => this.answer(request));
  }

  public async open(): Promise<KubernetesApi> {
    const api = await this.server.open({ attempts: 1 });
    this.opened.push(api);
    return api;
  }

  public async stop(): Promise<void> {
    this.opened.forEach((api) => api.close());
    await this.server.stop();
  }

  /** Paths of what was asked, discovery left out. */
  public get asked(): readonly string[] {
    return this.server.received
      .map(({ method, path }) => `${method} ${path}`)
      .filter((line) => !/ \/apis?(\/[^/]+)?(\/v\d+)?$/.test(line));
  }

  private answer({ method, path, body }: Received): Reply {
    const reply = this.replies[path] ?? this.replies['*'];
    if (reply !== undefined && !/^\/apis?$/.test(path)) {
      return reply;
    }
    if (path === '/api' || path === '/apis') {
      return { json: { kind: 'APIGroupDiscoveryList', items: this.groups(path === '/api') } };
    }
    const [, group] = /^\/apis\/([^/]+\/[^/]+)$/.exec(path) ?? [];
    if (group !== undefined) {
      const names = served[group];
      return names === undefined
        ? failure(404, 'NotFound', 'not found')
        : {
            json: {
              kind: 'APIResourceList',
              resources: names.map((each) => {
                const [name, kind] = each.split(' ');
                return { name, kind, namespaced: name !== 'customresourcedefinitions', verbs: ['list'] };
              }),
            },
          };
    }
    if (path === '/metrics') {
      return { text: this.metrics };
    }
    if (method === 'POST') {
      return { status: 201, json: body };
    }
    const found = this.objects[path];
    return Array.isArray(found) ||
      (found === undefined && !/\/(namespaces|customresourcedefinitions)\/./.test(path))
      ? { json: { metadata: {}, items: found ?? [] } }
      : found === undefined
        ? failure(404, 'NotFound', 'not found')
        : { json: found };
  }

  private groups(core: boolean): readonly object[] {
    return Object.entries(served)
      .filter(([version]) => (version === 'v1') === core)
      .map(([apiVersion, names]) => {
        const [group = '', version = group] = core ? ['', 'v1'] : apiVersion.split('/');
        return { metadata: { name: group }, versions: [{ version, resources: resources(names) }] };
      })
      .concat(
        this.withSilent && !core
          ? [
              {
                metadata: { name: silent.split('/')[0]! },
                versions: [{ version: 'v1', freshness: 'Stale', resources: [] }],
              } as never,
            ]
          : [],
      );
  }
}

/** A question about one cluster or two. */
export function questionOf(more: Partial<ReadinessQuestion> = {}): ReadinessQuestion {
  return {
    ...{ to: '1.36', concurrency: 4, now: Date.parse('2026-11-23T09:00:00Z'), progress: () => undefined },
    signal: new AbortController().signal,
    ...more,
  };
}

/** A record of Helm, as the API server answers it. */
export const helmSecret = (name: string, manifest: string): object => ({
  metadata: { name, namespace: 'shop' },
  data: {
    release: Buffer.from(
      gzipSync(JSON.stringify({ manifest, config: { password: 'hunter2' } })).toString('base64'),
    ).toString('base64'),
  },
});
