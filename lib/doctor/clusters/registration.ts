import { fleetLabel } from '../../gitops';
import type { KubernetesObject } from '../../kubernetes';
import { isMapping } from '../../problems';
import type { ClusterConfig } from './cluster-config';
import { readClusterConfig } from './cluster-config';

/** A cluster Secret as Argo CD reads it. */
export interface Registration {
  /** `argocd/blue` */
  readonly secret: string;
  /** Name of the cluster in Argo CD; empty where none is given. */
  readonly name: string;
  /** Address without slashes at its end; empty where none is given. */
  readonly server: string;
  /** Namespaces that Argo CD is limited to; none for all. */
  readonly namespaces: readonly string[];
  /** @default - the Secret names none */
  readonly fleet?: string;
  /** @default - it can't be read */
  readonly config?: ClusterConfig;
  /** Why the configuration can't be read, without values of it. */
  readonly faults: readonly string[];
}

/** Selects the Secrets of clusters. */
export const clusterSecretSelector = 'argocd.argoproj.io/secret-type=cluster';

/**
 * Reads a cluster Secret, whatever stands in it.
 *
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/util/db/cluster.go (SecretToCluster)
 */
export function registrationOf({ metadata, data }: KubernetesObject): Registration {
  const { name, namespace = '', labels } = metadata;
  const values = isMapping(data) ? data : {};
  const text = (key: string): string => {
    const value = Object.hasOwn(values, key) ? values[key] : undefined;
    return typeof value === 'string' ? Buffer.from(value, 'base64').toString('utf8') : '';
  };
  const read = readClusterConfig(text('config'));
  const fleet: unknown = labels?.[fleetLabel];
  return {
    secret: `${namespace}/${name}`,
    name: text('name'),
    server: text('server').replace(/(?<!\/)\/+$/, ''),
    namespaces: text('namespaces')
      .split(',')
      .map((each) => each.trim())
      .filter((each) => each !== ''),
    ...(typeof fleet === 'string' && fleet !== '' ? { fleet } : {}),
    ...('config' in read ? { config: read.config, faults: [] } : { faults: read.faults }),
  };
}

/** What a registration's server is. */
export type ServerKind =
  /** Argo CD's own cluster, by the address that pods have for it. */
  | { readonly is: 'own' }
  /** The managed Argo CD of EKS knows clusters by their ARNs. */
  | { readonly is: 'arn'; readonly arn: string }
  | { readonly is: 'url'; readonly url: URL }
  | { readonly is: 'faulty' };

/** What a registration's server is. */
export function serverKind({ server }: Pick<Registration, 'server'>): ServerKind {
  if (server === 'https://kubernetes.default.svc') {
    return { is: 'own' };
  }
  if (/^arn:aws[a-z-]*:eks:[a-z0-9-]+:\d{12}:cluster\/[\w-]+$/.test(server)) {
    return { is: 'arn', arn: server };
  }
  const url = URL.canParse(server) ? new URL(server) : undefined;
  return url?.protocol === 'https:' && url.hostname !== '' ? { is: 'url', url } : { is: 'faulty' };
}

/** How a registration is called in findings: its Secret, which is what has to be changed. */
export function subjectOf({ secret }: Pick<Registration, 'secret'>): string {
  return `Secret ${secret}`;
}

/** The host of an address, for people: a URL may hold a user's name and password. */
export function shownServer(registration: Pick<Registration, 'server'>): string {
  const kind = serverKind(registration);
  return kind.is === 'url' ? kind.url.origin : kind.is === 'faulty' ? 'no https URL' : registration.server;
}
