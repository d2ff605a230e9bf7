import { dnsLabel, someText } from '../problems';
import { clusterServer } from './argo-rules';
import type { FieldChecks } from './field-checks';

/**
 * Where an Application's objects go: a cluster by the name it is registered under, or by its API server.
 * @see https://argo-cd.readthedocs.io/en/stable/operator-manual/declarative-setup/#applications
 */
export type Destination = DestinationByName | DestinationByServer;

/** A cluster by the name in its Secret; `in-cluster` is the one that Argo CD runs in. */
export interface DestinationByName {
  /** Name of the cluster in Argo CD. */
  readonly name: string;
  /** Left out: one of `name` and `server` says which cluster. */
  readonly server?: undefined;
  /** Namespace for objects that name none. @default - every object must name its own */
  readonly namespace?: string;
}

/** A cluster by its API server. */
export interface DestinationByServer {
  /**
   * URL of the API server; `https://kubernetes.default.svc` is the cluster that Argo CD runs in. The managed Argo CD of EKS
   * takes the cluster's ARN instead.
   */
  readonly server: string;
  /** Left out: one of `name` and `server` says which cluster. */
  readonly name?: undefined;
  /** Namespace for objects that name none. @default - every object must name its own */
  readonly namespace?: string;
}

/** Checks where an Application goes. */
export function checkDestination(checks: FieldChecks, path: string, destination: Destination): void {
  checks.exactlyOne(path, destination, ['name', 'server']);
  checks.optional(`${path}.name`, destination?.name, someText);
  checks.optional(`${path}.server`, destination?.server, clusterServer);
  checks.optional(`${path}.namespace`, destination?.namespace, dnsLabel);
}
