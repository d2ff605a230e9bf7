import { Field } from '../../rules';

/** An address behind a Service's port. */
export interface ServerPlace {
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
export function serverAddress(service: unknown, slices: readonly unknown[], port: number): ServerAddress {
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
