import { inTurn } from '../../../core/async';
import type { KubernetesObject } from '../../../core/kubernetes/api';
import type { CarefulReader } from '../../../core/kubernetes/tolerant-reader';
import type { AskHandshake, Handshake } from '../../../core/tls';
import { Field } from '../../../lint';
import { certificateIn, mountedSecrets } from './mounted-certificates';
import type { MountedCertificate } from './mounted-certificates';
import type { ServedWebhook } from './server';

/** An address behind a Service's port. */
interface ServerPlace {
  /** Pod, if the slice says. */
  readonly pod?: string;
  readonly host: string;
  readonly port: number;
  /** Whether API servers may be sent there: one that is not ready may be ready a moment later. */
  readonly isReady: boolean;
}

/** What the objects say about the way to a server. */
export type ServerAddress =
  | { readonly is: 'known'; readonly places: readonly ServerPlace[] }
  /** The Service lacks the port that is called; these are the ones it has. */
  | { readonly is: 'noPort'; readonly ports: readonly number[] }
  /** The Service stands for a name outside of the cluster. */
  | { readonly is: 'external'; readonly host: string };

/**
 * Addresses behind the port of a Service, in the order of their slices. Nothing in the objects has to be of the right type.
 *
 * @param service the object
 * @param slices its EndpointSlices
 * @see https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/
 */
function serverAddress(service: unknown, slices: readonly unknown[], port: number): ServerAddress {
  const spec = Field.ofValue(service).get('spec');
  const external = spec.get('type').text === 'ExternalName' ? spec.get('externalName').text : undefined;
  if (external !== undefined) {
    return { is: 'external', host: external };
  }
  const ports = spec.get('ports').items;
  const called = ports.find((each) => each.get('port').number === port);
  if (!called) {
    return { is: 'noPort', ports: ports.flatMap((each) => each.get('port').number ?? []) };
  }
  const name = called.get('name').text ?? '';
  const places = slices.flatMap((value): ServerPlace[] => {
    const slice = Field.ofValue(value);
    const numbers = slice
      .get('ports')
      .items.filter((each) => (each.get('name').text ?? '') === name)
      .flatMap((each) => each.get('port').number ?? []);
    return numbers.filter(isPort).flatMap((number) =>
      slice.get('endpoints').items.flatMap((endpoint) => {
        const pod = endpoint.get('targetRef', 'name').text;
        return endpoint.get('addresses').texts.map((host) => ({
          host,
          port: number,
          // Unknown counts as ready.
          isReady: endpoint.get('conditions', 'ready').boolean !== false,
          ...(pod === undefined ? {} : { pod }),
        }));
      }),
    );
  });
  const distinct = new Map(places.map((each) => [`${each.host} ${each.port}`, each]));
  return { is: 'known', places: [...distinct.values()] };
}

function isPort(number: number): boolean {
  return Number.isInteger(number) && number > 0 && number < 65_536;
}

/** `web-0 (10.0.1.7:9443)` */
export function placeInWords({ pod, host, port }: Pick<ServerPlace, 'pod' | 'host' | 'port'>): string {
  const address = host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  return pod === undefined ? address : `${pod} (${address})`;
}

/** A place that was asked. */
export interface SeenPlace extends Pick<ServerPlace, 'pod' | 'host' | 'port' | 'isReady'> {
  /** @default - it was not asked */
  readonly handshake?: Handshake;
}

/** A server as it was seen, from its objects and by handshakes. */
export interface ObservedServer {
  readonly server: ServedWebhook;
  /**
   * - `known`: there are places, or may be
   * - `noService`: there is no such Service
   * - `noPort`: the Service lacks the port
   * - `unread`: the Service or its endpoints may not be read
   */
  readonly is: 'known' | 'noService' | 'noPort' | 'unread';
  /** Ports of the Service. @default - it has the one that is called, or is not known */
  readonly ports?: readonly number[];
  readonly places: readonly SeenPlace[];
  /** Certificates of the Secrets that its pods mount. @default - they may not be read, or were not looked for */
  readonly mounted?: readonly MountedCertificate[];
}

/** Whether the places could not be reached from this machine at all: then their silence says nothing of API servers' calls. */
export function isOutOfReach({ places }: Pick<ObservedServer, 'places'>): boolean {
  return (
    places.length > 0 &&
    places.every(
      ({ handshake }) =>
        handshake?.outcome === 'silent' || handshake?.outcome === 'unknownHost' || !handshake,
    )
  );
}

/** What an inspection of servers works with. */
export interface ServerContext {
  readonly reader: CarefulReader;
  readonly ask: AskHandshake;
  /** Handshakes of one server at once. */
  readonly concurrency: number;
  readonly signal?: AbortSignal;
}

/** No Service of a webhook has more pods that matter. */
const mostPlaces = 50;

/** Places that are asked before the others. */
const probes = 3;

/** Pods mount a handful. */
const mostSecrets = 20;

/** Inspects a server: its objects, what its places serve, and what its pods mount. */
export async function seeServer(server: ServedWebhook, looking: ServerContext): Promise<ObservedServer> {
  const { at } = server;
  if (at.by === 'url') {
    const [place] = await asked(server, [{ host: at.host, port: at.port, isReady: true }], looking);
    return { server, is: 'known', places: [place!] };
  }
  const { namespace, name, port } = at;
  const { reader } = looking;
  const service = await reader.get({ apiVersion: 'v1', kind: 'Service', metadata: { name, namespace } });
  if (service === 'missing') {
    return { server, is: 'noService', places: [] };
  }
  const slices =
    service &&
    (await reader.list(
      { apiVersion: 'discovery.k8s.io/v1', kind: 'EndpointSlice' },
      { namespace, labelSelector: `kubernetes.io/service-name=${name}` },
    ));
  if (!service || !slices) {
    return { server, is: 'unread', places: [] };
  }
  const address = serverAddress(service, slices, port);
  if (address.is === 'noPort') {
    return { server, is: 'noPort', ports: address.ports, places: [] };
  }
  const places =
    address.is === 'external' ? [{ host: address.host, port, isReady: true }] : readyFirst(address.places);
  const mounted = await mountedBehind(server.serverName, namespace, service, looking);
  return {
    server,
    is: 'known',
    places: await asked(server, places, looking),
    ...(mounted ? { mounted } : {}),
  };
}

function readyFirst(places: readonly ServerPlace[]): readonly ServerPlace[] {
  return [...places].sort((one, other) => Number(other.isReady) - Number(one.isReady));
}

async function asked(
  { serverName }: ServedWebhook,
  places: readonly ServerPlace[],
  { ask, concurrency, signal }: ServerContext,
): Promise<SeenPlace[]> {
  const look = (some: readonly ServerPlace[]): Promise<SeenPlace[]> =>
    inTurn(
      some,
      concurrency,
      async (place) => ({
        ...place,
        handshake: await ask({ host: place.host, port: place.port, serverName }, signal),
      }),
      signal,
    );
  const first = await look(places.slice(0, probes));
  // A network that can't be reached from here is silent at every address, for seconds each time.
  const last = isOutOfReach({ places: first }) ? probes : mostPlaces;
  return [...first, ...(await look(places.slice(probes, last))), ...places.slice(last)];
}

/** Certificates of the Secrets that the pods behind a Service mount. */
async function mountedBehind(
  serverName: string,
  namespace: string,
  service: KubernetesObject,
  { reader }: ServerContext,
): Promise<readonly MountedCertificate[] | undefined> {
  const selector = Object.entries(Field.ofValue(service).get('spec', 'selector').labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  if (selector === '') {
    return undefined;
  }
  const pods = await reader.list({ apiVersion: 'v1', kind: 'Pod' }, { namespace, labelSelector: selector });
  const found: MountedCertificate[] = [];
  for (const name of mountedSecrets(pods ?? []).slice(0, mostSecrets)) {
    const secret = await reader.get({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace } });
    if (secret === undefined) {
      // The right is missing for all of them, or the others have it told, too.
      break;
    }
    const certificate = secret === 'missing' ? undefined : certificateIn(name, secret, serverName);
    found.push(...(certificate ? [certificate] : []));
  }
  return pods && found;
}
