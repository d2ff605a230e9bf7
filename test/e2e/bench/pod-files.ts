import { join } from 'node:path';
import type { KubernetesApi, KubernetesObject } from './kubernetes-api';

type Files = Record<string, string>;
type Items = readonly { readonly key: string; readonly path: string }[];

/** The files that the volumes of a pod's first container hold, by their paths. */
export async function podFiles(api: KubernetesApi, pod: KubernetesObject): Promise<Files> {
  const files: Files = {};
  for (const mount of pod.spec.containers[0].volumeMounts ?? []) {
    const volume = pod.spec.volumes.find(({ name }: { name: string }) => name === mount.name);
    const within = await volumeFiles(api, pod, volume);
    for (const [path, text] of Object.entries(within)) {
      files[join(mount.mountPath, path)] = text;
    }
  }
  return files;
}

async function volumeFiles(api: KubernetesApi, pod: KubernetesObject, volume: any): Promise<Files> {
  if (volume.emptyDir) {
    return {};
  }
  if (volume.secret) {
    const { secretName: name, ...rest } = volume.secret;
    return objectFiles(api, pod, 'Secret', { name, ...rest });
  }
  if (volume.configMap) {
    return objectFiles(api, pod, 'ConfigMap', volume.configMap);
  }
  if (volume.projected) {
    const sources: any[] = volume.projected.sources;
    return Object.assign(
      {},
      ...(await Promise.all(sources.map((source) => projectedFiles(api, pod, source)))),
    );
  }
  throw new Error(`volume ${volume.name} of pod ${pod.metadata.name} is of a kind that is not supported`);
}

async function projectedFiles(api: KubernetesApi, pod: KubernetesObject, source: any): Promise<Files> {
  if (source.serviceAccountToken) {
    return { [source.serviceAccountToken.path]: await accountToken(api, pod) };
  }
  if (source.configMap || source.secret) {
    return objectFiles(
      api,
      pod,
      source.configMap ? 'ConfigMap' : 'Secret',
      source.configMap ?? source.secret,
    );
  }
  if (source.downwardAPI?.items.every(({ fieldRef }: any) => fieldRef?.fieldPath === 'metadata.namespace')) {
    return Object.fromEntries(
      source.downwardAPI.items.map(({ path }: any) => [path, pod.metadata.namespace]),
    );
  }
  throw new Error(`pod ${pod.metadata.name}: ${JSON.stringify(source)} is not supported`);
}

async function objectFiles(
  api: KubernetesApi,
  pod: KubernetesObject,
  kind: 'Secret' | 'ConfigMap',
  { name, items, optional }: { name: string; items?: Items; optional?: boolean },
): Promise<Files> {
  const { namespace } = pod.metadata;
  const found = await api.find({ apiVersion: 'v1', kind, metadata: { name, namespace } });
  if (found === undefined && optional !== true) {
    throw new Error(`pod ${pod.metadata.name} would not start: there is no ${kind} ${namespace}/${name}`);
  }
  const data: Files = found?.data ?? {};
  const wanted = items ?? Object.keys(data).map((key) => ({ key, path: key }));
  return Object.fromEntries(
    wanted.map(({ key, path }) => {
      if (data[key] === undefined && optional !== true) {
        throw new Error(
          `pod ${pod.metadata.name} would not start: ${kind} ${namespace}/${name} has no key ${key}`,
        );
      }
      const text = data[key] ?? '';
      return [path, kind === 'Secret' ? Buffer.from(text, 'base64').toString() : text];
    }),
  );
}

/** A token for the pod's ServiceAccount, which ends with the pod. */
async function accountToken(api: KubernetesApi, pod: KubernetesObject): Promise<string> {
  const { name, namespace, uid } = pod.metadata;
  const account = pod.spec.serviceAccountName ?? 'default';
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3600, boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid } },
  };
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
  return (await api.call('POST', path, request)).status.token;
}
