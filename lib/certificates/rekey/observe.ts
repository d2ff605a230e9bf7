import type { X509Certificate } from 'node:crypto';
import type { KubernetesObject, KubernetesReader } from '../../kubernetes';
import { InvalidInput } from '../../problems';
import type { CalledService } from './bundle-places';
import { bundleKinds, bundlesIn } from './bundle-places';
import type { ObservedBundle, ObservedPod, RekeyObservation } from './gates';
import { leafOf } from './read-certificates';
import type { AskCertificate, ServedAt } from './served-certificate';

/** What is looked at. */
export interface Observed {
  /** Services that the servers stand behind. */
  readonly services: readonly CalledService[];
  /** Certificates of both authorities. */
  readonly authorities: readonly X509Certificate[];
  /** Whether the pods are asked for their certificates: their addresses are reached from inside of the cluster. */
  readonly pods: boolean;
}

/** What API servers are told to trust, and what the pods serve, now. */
export async function observe(
  api: KubernetesReader,
  { services, authorities, pods }: Observed,
  ask: AskCertificate,
  signal?: AbortSignal,
): Promise<RekeyObservation> {
  const [bundles, served] = await Promise.all([
    observeBundles(api, services, signal),
    pods ? observePods(api, services, authorities, ask, signal) : [],
  ]);
  return { now: Date.now(), bundles, pods: served };
}

/** Every CA bundle for these Services, wherever in the cluster it is. */
async function observeBundles(
  api: KubernetesReader,
  services: readonly CalledService[],
  signal?: AbortSignal,
): Promise<ObservedBundle[]> {
  const options = signal ? { signal } : {};
  const objects = await Promise.all(bundleKinds.map((kind) => api.list(kind, options)));
  return objects.flat().flatMap((object) => bundlesIn(object, services, Date.now()));
}

interface Service extends KubernetesObject {
  readonly spec?: { readonly ports?: readonly { readonly name?: string; readonly port: number }[] };
}

interface EndpointSlice extends KubernetesObject {
  readonly endpoints?: readonly {
    readonly addresses: readonly string[];
    readonly targetRef?: { readonly name?: string };
  }[];
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[];
}

/** Every pod behind these Services, ready or not: one that is not may be, a moment later, with what it serves. */
async function observePods(
  api: KubernetesReader,
  services: readonly CalledService[],
  authorities: readonly X509Certificate[],
  ask: AskCertificate,
  signal?: AbortSignal,
): Promise<ObservedPod[]> {
  const found = await Promise.all(services.map((service) => podPlaces(api, service, signal)));
  return Promise.all(
    found.flat().map(async ({ pod, ...at }) => {
      const certificate = await ask(at, signal);
      return { name: pod, ...(certificate ? { leaf: leafOf(certificate, authorities) } : {}) };
    }),
  );
}

async function podPlaces(
  api: KubernetesReader,
  { name, namespace, port = 443 }: CalledService,
  signal?: AbortSignal,
): Promise<(ServedAt & { readonly pod: string })[]> {
  const service: Service = await api.get(
    { apiVersion: 'v1', kind: 'Service', metadata: { name, namespace } },
    signal,
  );
  const called = service.spec?.ports?.find((each) => each.port === port);
  if (!called) {
    throw new InvalidInput(`Service ${namespace}/${name}`, [
      { path: 'port', value: port, allowed: 'a port of the Service: the one that API servers call' },
    ]);
  }
  const slices: readonly EndpointSlice[] = await api.list(
    { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
    { namespace, labelSelector: `kubernetes.io/service-name=${name}`, ...(signal ? { signal } : {}) },
  );
  return slices.flatMap(({ endpoints, ports }) =>
    // An empty slice has null in the place of its lists.
    (ports ?? [])
      // A slice names its ports as the Service does; several pods may give one name several numbers.
      .filter((each) => (each.name ?? '') === (called.name ?? ''))
      .flatMap(({ port: number }) =>
        (endpoints ?? []).flatMap(({ addresses, targetRef }) =>
          addresses.flatMap((host) =>
            number === undefined
              ? []
              : [
                  {
                    pod: podName(targetRef?.name, host, number),
                    host,
                    port: number,
                    serverName: `${name}.${namespace}.svc`,
                  },
                ],
          ),
        ),
      ),
  );
}

function podName(name: string | undefined, host: string, port: number): string {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return name === undefined ? address : `${name} (${address})`;
}
