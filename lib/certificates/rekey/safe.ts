import type { Anchor, Leaf } from './signing';
import { holds, namesServer, validAt } from './signing';

/** What API servers trust and pods serve at one moment. */
export interface TrustState {
  /** Milliseconds since 1970. */
  readonly now: number;
  /** Name that API servers call: `SERVICE.NAMESPACE.svc`. */
  readonly serverName: string;
  /** Every API server that may call. */
  readonly apiServers: readonly TrustingApiServer[];
  /** Every pod behind the Service that gets requests. */
  readonly pods: readonly ServingPod[];
}

/** An API server: each learns of a new bundle at its own time. */
export interface TrustingApiServer {
  /** Names the API server, for messages. */
  readonly name: string;
  /** The CA bundle as this one has it. */
  readonly bundle: readonly Anchor[];
}

/** A pod: each learns of a new certificate at its own time. */
export interface ServingPod {
  /** Name of the pod. */
  readonly name: string;
  /** What it serves. */
  readonly leaf: Leaf;
}

/** A call that fails. */
export interface RefusedCall {
  /** The API server that calls. */
  readonly apiServer: string;
  /** The pod that is called. */
  readonly pod: string;
  /**
   * - `signer`: no valid anchor has the name and key that signed the pod's certificate
   * - `time`: the pod's certificate is not valid now
   * - `name`: the pod's certificate is for other names
   */
  readonly because: 'signer' | 'time' | 'name';
}

/** Calls from any API server to any pod that fail. */
export function refusedCalls({ now, serverName, apiServers, pods }: TrustState): RefusedCall[] {
  return apiServers.flatMap((apiServer) =>
    pods.flatMap((pod) => {
      const because = refusal(apiServer.bundle, pod.leaf, serverName, now);
      return because === undefined ? [] : [{ apiServer: apiServer.name, pod: pod.name, because }];
    }),
  );
}

/**
 * Whether no call can fail, whichever API server makes it and whichever pod answers: some valid anchor of the API server
 * has the name and key that signed the pod's certificate, which is valid, for the name that is called.
 */
export function safe(state: TrustState): boolean {
  return refusedCalls(state).length === 0;
}

function refusal(
  bundle: readonly Anchor[],
  leaf: Leaf,
  serverName: string,
  now: number,
): RefusedCall['because'] | undefined {
  if (!holds(bundle, leaf.signer, now)) {
    return 'signer';
  }
  if (!validAt(now, leaf)) {
    return 'time';
  }
  return namesServer(leaf.dnsNames, serverName) ? undefined : 'name';
}
