import type { KubernetesSettings } from '../../../lib/core/kubernetes/access';
import type { KubernetesObject, KubernetesReader } from '../../../lib/core/kubernetes/api';
import { argoApplications } from '../../../lib/shift/checks/argo-applications/argo-applications';
import { contextOf, windowOf } from './health-samples';

export interface Sample {
  readonly project?: string;
  readonly cluster?: string;
  readonly server?: string;
  readonly set?: string;
  readonly sync?: string;
  readonly health?: string;
  readonly phase?: string;
  readonly deleted?: boolean;
}

/** An Application as an API server answers it. */
export function application(name: string, sample: Sample): KubernetesObject {
  const {
    project = 'apps',
    cluster,
    server,
    set,
    sync = 'Synced',
    health = 'Healthy',
    phase = 'Succeeded',
    deleted,
  } = sample;
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name,
      namespace: 'argocd',
      ...(set
        ? {
            ownerReferences: [
              {
                apiVersion: 'argoproj.io/v1alpha1',
                kind: 'ApplicationSet',
                name: set,
                uid: 'u',
                controller: true,
              },
            ],
          }
        : {}),
      ...(deleted ? { deletionTimestamp: '2026-01-01T00:00:00Z' } : {}),
    },
    spec: {
      project,
      destination: { ...(cluster ? { name: cluster } : {}), ...(server ? { server } : {}), namespace: 'web' },
    },
    status: { sync: { status: sync }, health: { status: health }, operationState: { phase } },
  };
}
export const clusterSecret = (
  name: string,
  server: string,
  config: object = { bearerToken: 'hunter2' },
  slot?: string,
): KubernetesObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, ...(slot ? { labels: { 'cluster-canary/slot': slot } } : {}) },
  data: {
    name: Buffer.from(name).toString('base64'),
    server: Buffer.from(server).toString('base64'),
    config: Buffer.from(JSON.stringify(config)).toString('base64'),
  },
});

interface Asked {
  readonly kind: string;
  readonly namespace?: string;
  readonly labelSelector?: string;
}

/** The check over a hub that holds these objects, and what it asked. */
export function hub(
  applications: readonly KubernetesObject[],
  secrets: readonly KubernetesObject[] = [],
  settings = {},
  projects: readonly KubernetesObject[] | Error = [],
) {
  const asked: Asked[] = [];
  const opened: KubernetesSettings[] = [];
  const reader: KubernetesReader = {
    server: 'https://hub',
    get: () => Promise.reject(new Error('not asked for')),
    list: ({ kind }, { namespace, labelSelector } = {}) => {
      asked.push({ kind, namespace, labelSelector });
      if (kind === 'AppProject') {
        return projects instanceof Error ? Promise.reject(projects) : Promise.resolve(projects);
      }
      return Promise.resolve(kind === 'Secret' ? secrets : applications);
    },
  };
  const context = contextOf({
    kubernetes: (given) => {
      opened.push(given);
      return Promise.resolve(reader);
    },
  });
  return { check: argoApplications.kind.create('argo', settings, context), asked, opened };
}

export const next = windowOf({ blue: 100, green: 0 }, { blue: 99, green: 1 });
export const evaluate = (applications: readonly KubernetesObject[], secrets?: readonly KubernetesObject[]) =>
  hub(applications, secrets).check.evaluate(next);
export const blue = application('apps-blue-podinfo', { cluster: 'apps-blue', set: 'podinfo' });
export const green = (sample: Sample = {}) =>
  application('apps-green-podinfo', { cluster: 'apps-green', set: 'podinfo', ...sample });
