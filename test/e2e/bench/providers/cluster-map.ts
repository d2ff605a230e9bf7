import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names the folder in which the test says which control plane stands for which EKS cluster: `NAME.json`. */
export const clustersVariable = 'CLUSTER_CANARY_E2E_CLUSTERS';

/** The control plane that stands for an EKS cluster. */
export interface BridgedCluster {
  /** URL of the API server. */
  readonly endpoint: string;
  /** Its certificate authority, PEM in base64. */
  readonly certificateAuthority: string;
}

/**
 * The control plane that stands for a cluster.
 *
 * @throws Error where the test names none
 */
export function bridgedCluster(name: string): BridgedCluster {
  const file = join(process.env[clustersVariable] ?? '.', `${name}.json`);
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as BridgedCluster;
  } catch {
    throw new Error(`the test names no control plane for the EKS cluster "${name}"`);
  }
}
