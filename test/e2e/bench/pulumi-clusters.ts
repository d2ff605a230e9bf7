import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BridgedCluster } from './providers/cluster-map';
import { clustersVariable } from './providers/cluster-map';

/** What the bench needs to know of a control plane. */
export interface ClusterAccess {
  /** URL of the API server. */
  readonly server: string;
  /** PEM. */
  readonly certificateAuthority: string;
  /** PEM. */
  readonly adminCertificate: string;
  /** PEM. */
  readonly adminKey: string;
}

/**
 * Lets control planes stand for EKS clusters: for the test providers, and by an `aws` on the path that answers
 * `aws eks get-token` with the administrator's certificate, whoever asks. Answers the environment for both.
 *
 * @param folder a temporary folder
 * @param planes control planes by the EKS cluster's name
 */
export function clusterEnvironment(
  folder: string,
  planes: Readonly<Record<string, ClusterAccess>>,
): Record<string, string> {
  const clusters = join(folder, 'clusters');
  const programs = join(folder, 'programs');
  mkdirSync(clusters);
  mkdirSync(programs);
  Object.entries(planes).forEach(([name, plane]) => bridgeCluster(clusters, name, plane));
  writeFileSync(join(programs, 'aws'), fakeAws);
  chmodSync(join(programs, 'aws'), 0o755);
  return { [clustersVariable]: clusters, PATH: `${programs}:${process.env.PATH}` };
}

/**
 * Lets a control plane stand for an EKS cluster, in place of the one that did.
 *
 * @param clusters the folder that the environment names
 */
export function bridgeCluster(clusters: string, name: string, plane: ClusterAccess): void {
  const bridged: BridgedCluster = {
    endpoint: plane.server,
    certificateAuthority: Buffer.from(plane.certificateAuthority).toString('base64'),
  };
  writeFileSync(join(clusters, `${name}.json`), JSON.stringify(bridged));
  const file = join(clusters, `${name}.credential.json`);
  writeFileSync(file, JSON.stringify(credential(plane)), { mode: 0o600 });
}

/** @see https://kubernetes.io/docs/reference/config-api/client-authentication.v1beta1/ */
function credential(plane: ClusterAccess): object {
  return {
    apiVersion: 'client.authentication.k8s.io/v1beta1',
    kind: 'ExecCredential',
    status: { clientCertificateData: plane.adminCertificate, clientKeyData: plane.adminKey },
  };
}

const fakeAws = `#!/bin/sh
# Stands for the AWS CLI, for "aws eks get-token --cluster-name NAME" alone, and for its version: the eks component wants 2.7.0 at least
# (https://github.com/pulumi/pulumi-eks/blob/v4.3.0/nodejs/eks/dependencies.ts).
if [ "$1" = "--version" ]; then
  echo "aws-cli/2.7.0 of the test"
  exit
fi
if [ "$1 $2 $3" != "eks get-token --cluster-name" ]; then
  echo "the test's aws knows eks get-token --cluster-name alone, not: $*" >&2
  exit 2
fi
exec cat "$${clustersVariable}/$4.credential.json"
`;
