import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { KubernetesApi, KubernetesError } from '../kubernetes-api';
import type { KubernetesObject, ObjectRef } from '../kubernetes-api';
import { serveCustomProvider } from './custom-provider';
import type { Properties, ResourceKind, ResourceRequest } from './resource-kind';

/**
 * Stands for Pulumi's Kubernetes provider: server-side apply with a field manager for each resource, as that has it by
 * default. Left out: waiting until an object is ready, names for objects without one, previews by the API server,
 * patches, and all of Helm: a `Release` is written down and nothing is installed.
 */
let connection: Promise<KubernetesApi> | undefined;
let kubeconfig = '';
let isUnreachable: Promise<boolean> | undefined;
let whenUnreachable = { skipsUpdates: false, forgets: false };

serveCustomProvider('@pulumi/kubernetes', {
  configure: (given) => {
    kubeconfig = (given.kubeconfig as string | undefined) ?? '';
    connection = undefined;
    isUnreachable = undefined;
    whenUnreachable = {
      skipsUpdates: String(given.skipUpdateUnreachable) === 'true',
      forgets: String(given.deleteUnreachable) === 'true',
    };
  },
  check: async (before, inputs) => (whenUnreachable.skipsUpdates && (await unreachable()) ? before : inputs),
  kind: (type) => (type === 'kubernetes:helm.sh/v3:Release' ? helmRelease : object),
});

const helmRelease: ResourceKind = {
  fixed: ['name', 'namespace'],
  create: ({ name, namespace, chart, version }) =>
    Promise.resolve({
      id: `${namespace}/${name}`,
      outputs: { status: { name, namespace, chart, version, revision: 1, status: 'deployed' } },
    }),
  update: (_id, { name, namespace, chart, version }, { status }) =>
    Promise.resolve({
      status: { ...status, name, namespace, chart, version, revision: status.revision + 1 },
    }),
  delete: async () => {
    if (await unreachable()) {
      throw new Error("can't delete Helm Release with unreachable cluster");
    }
  },
};

const object: ResourceKind = {
  fixed: ['apiVersion', 'kind', 'metadata.name', 'metadata.namespace'],
  create: async (inputs, resource) => {
    const fieldManager = managerOf(resource);
    const { metadata, status } = await apply(inputs, fieldManager);
    const { name, namespace, uid } = metadata as Record<string, string>;
    return {
      id: namespace === undefined ? name! : `${namespace}/${name}`,
      outputs: {
        metadata: { ...inputs.metadata, name, namespace, uid },
        status,
        __fieldManager: fieldManager,
      },
    };
  },
  update: async (_id, inputs, before) => {
    const { metadata, status } = await apply(inputs, before.__fieldManager as string);
    const { name, namespace, uid } = metadata as Record<string, string>;
    return { metadata: { ...inputs.metadata, name, namespace, uid }, status };
  },
  read: async (_id, before) => {
    const found = await (await api()).find(reference(before));
    return found === undefined ? undefined : {};
  },
  delete: async (_id, before) => {
    if (whenUnreachable.forgets && (await unreachable())) {
      return;
    }
    try {
      await (await api()).delete(reference(before));
    } catch (error) {
      if (!(error instanceof KubernetesError && error.status === 404)) {
        throw error;
      }
    }
  },
};

/** Without force: fields that somebody else owns are a conflict. */
async function apply(inputs: Properties, fieldManager: string): Promise<KubernetesObject> {
  const server = await api();
  const path = await server.path(reference(inputs));
  const query = new URLSearchParams({ fieldManager, fieldValidation: 'Strict' });
  return (await server.call(
    'PATCH',
    `${path}?${query}`,
    withoutOurs(inputs),
    'application/apply-patch+yaml',
  )) as KubernetesObject;
}

function withoutOurs(inputs: Properties): Properties {
  return Object.fromEntries(Object.entries(inputs).filter(([key]) => !key.startsWith('__')));
}

function reference({ apiVersion, kind, metadata }: Properties): ObjectRef {
  return { apiVersion, kind, metadata };
}

/** Unlike the real provider's, whose managers have random names, these can be told apart in the audit log. */
function managerOf({ name }: ResourceRequest): string {
  return `pulumi-kubernetes-${name}`.slice(0, 128);
}

/** As the real provider finds out: once, before anything else is asked. */
function unreachable(): Promise<boolean> {
  isUnreachable ??= api()
    .then((server) => server.call('GET', '/version'))
    .then(
      () => false,
      (error: unknown) => !(error instanceof KubernetesError),
    );
  return isUnreachable;
}

function api(): Promise<KubernetesApi> {
  connection ??= connect(kubeconfig);
  return connection;
}

/** Connects as the kubeconfig says: a certificate in it, or one that its program answers. */
async function connect(text: string): Promise<KubernetesApi> {
  const { clusters, users } = JSON.parse(text) as Properties;
  const { server, 'certificate-authority-data': authority } = clusters[0].cluster;
  const user = users[0].user as Properties;
  const access = { server, certificateAuthority: decoded(authority) };
  if (!user.exec) {
    const certificate = decoded(user['client-certificate-data']);
    return new KubernetesApi({ ...access, certificate, key: decoded(user['client-key-data']) });
  }
  const { command, args, env } = user.exec as Properties;
  const more = Object.fromEntries(
    ((env ?? []) as { name: string; value: string }[]).map(({ name, value }) => [name, value]),
  );
  const { stdout } = await promisify(execFile)(command as string, args as string[], {
    env: { ...process.env, ...more },
    timeout: 60_000,
  });
  const { status } = JSON.parse(stdout) as Properties;
  return new KubernetesApi({
    ...access,
    certificate: status.clientCertificateData,
    key: status.clientKeyData,
  });
}

function decoded(base64: string): string {
  return Buffer.from(base64, 'base64').toString();
}
