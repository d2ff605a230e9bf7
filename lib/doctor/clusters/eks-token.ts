import { awsPartitions, awsRegion, partitionOf, roleCredentials } from '../../aws';
import { unlessAborted } from '../unless-aborted';
import type { EksLogin } from './cluster-config';

/** Makes the token that an EKS cluster knows an AWS identity by; rejects with the signal's reason where that is aborted. */
export type MakeEksToken = (
  login: EksLogin & { readonly roleArn: string },
  region: string,
  signal?: AbortSignal,
) => Promise<string>;

/** Credentials of AWS, as a signature needs them. */
export interface SigningCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Makes the token as Argo CD does, with the role, which the credentials of this machine take on. */
export const makeEksToken: MakeEksToken = async (login, region, signal) => {
  const credentials = await roleCredentials({
    roleArn: login.roleArn,
    sessionName: 'cluster-canary-doctor',
    region,
    maxAttempts: 2,
    requestTimeout: 5_000,
  });
  // The SDK's providers of credentials hear no signal; what they still ask ends by its time-outs.
  const found = await unlessAborted(() => credentials(), signal);
  return eksToken(login.clusterName, region, found, new Date());
};

/**
 * A signed request for `GetCallerIdentity` that only its receiver sends: EKS learns from AWS's answer who has signed it.
 * The cluster's name is signed, too. It counts for 15 minutes, by AWS's clock.
 *
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/cmd/argocd-k8s-auth/commands/aws.go
 */
export async function eksToken(
  clusterName: string,
  region: string,
  credentials: SigningCredentials,
  now: Date,
): Promise<string> {
  const [{ SignatureV4 }, { Sha256 }] = await Promise.all([
    import('@smithy/signature-v4'),
    import('@aws-crypto/sha256-js'),
  ]);
  const hostname = `sts.${region}.${partitionOf(region).dnsSuffix}`;
  const signer = new SignatureV4({ service: 'sts', region, credentials, sha256: Sha256 });
  const { query = {} } = await signer.presign(
    {
      method: 'GET',
      protocol: 'https:',
      hostname,
      path: '/',
      query: { Action: 'GetCallerIdentity', Version: '2011-06-15' },
      headers: { host: hostname, 'x-k8s-aws-id': clusterName },
    },
    { expiresIn: 60, signingDate: now },
  );
  const pairs = Object.entries(query).map(
    ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
  );
  const url = `https://${hostname}/?${pairs.join('&')}`;
  return `k8s-aws-v1.${Buffer.from(url).toString('base64url')}`;
}

/**
 * The region in the address of an EKS cluster.
 *
 * @returns undefined where it is no such address
 * @see https://docs.aws.amazon.com/eks/latest/userguide/cluster-endpoint.html
 */
export function regionOfEndpoint(server: string): string | undefined {
  const host = URL.canParse(server) ? new URL(server).hostname : '';
  const domains = awsPartitions.flatMap(({ dnsSuffix, dualStackDnsSuffix }) => [
    `eks.${dnsSuffix}`,
    dualStackDnsSuffix,
  ]);
  // In China, EKS leaves out the "api" of other services.
  const ofEks = [...domains, 'amazonwebservices.com.cn'].some((domain) => host.endsWith(`.${domain}`));
  return ofEks ? host.split('.').find((label) => awsRegion.accepts(label)) : undefined;
}
