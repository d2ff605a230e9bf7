import type { Handshake } from '../handshake';
import type { MountedCertificate } from './mounted-certificates';
import type { ServerPlace } from './server-places';
import type { WebhookServer } from './webhook-server';

/** A place that was asked. */
export interface SeenPlace extends Pick<ServerPlace, 'pod' | 'host' | 'port' | 'isReady'> {
  /** @default - it was not asked */
  readonly handshake?: Handshake;
}

/** A server as it was seen, from its objects and by handshakes. */
export interface SeenServer {
  readonly server: WebhookServer;
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
export function isOutOfReach({ places }: Pick<SeenServer, 'places'>): boolean {
  return (
    places.length > 0 &&
    places.every(
      ({ handshake }) =>
        handshake?.outcome === 'silent' || handshake?.outcome === 'unknownHost' || !handshake,
    )
  );
}
