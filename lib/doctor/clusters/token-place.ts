import { readCertificates } from '../../certificates';
import { environmentProxy } from '../../proxies';
import type { ClusterConfig } from './cluster-config';
import type { EksView } from './eks-view';

/** Where a token for EKS may be sent. */
export interface TokenPlace {
  readonly server: string;
  /** PEM in base64. */
  readonly caData: string;
}

/**
 * Where a token that this machine's AWS credentials make may be sent: to the endpoint that AWS gives for the cluster, proven
 * by the authority that AWS gives for it. Whoever writes the Secret would else get a token of any role that this machine can
 * take on, at a server or through a proxy of their own.
 *
 * @param server of the Secret
 * @param eks what AWS says of the cluster that the Secret names
 * @returns why it may be sent nowhere
 */
export function tokenPlace(
  server: string,
  config: ClusterConfig,
  eks: EksView | undefined,
  env: NodeJS.ProcessEnv,
): TokenPlace | { readonly why: string } {
  const rule = 'a token is sent only to an endpoint that AWS gives for the cluster';
  if (eks?.is !== 'described') {
    const seen =
      eks?.is === 'absent'
        ? `AWS knows no EKS cluster ${eks.name} in ${eks.region} with the credentials of this machine`
        : `AWS does not say it: ${eks?.why ?? 'it was not asked'}`;
    return { why: `${rule}, and ${seen}` };
  }
  const { endpoint, certificateAuthority: caData, name } = eks.cluster;
  if (endpoint === undefined || caData === undefined) {
    return { why: `${rule}, and AWS gives no endpoint or no certificate authority for EKS cluster ${name}` };
  }
  if (!isSame(server, endpoint)) {
    return { why: `${rule}, and the Secret names another server than that of EKS cluster ${name}` };
  }
  if (!holdsOnly(config.caData, caData)) {
    return { why: `${rule}, and caData is not the certificate authority of EKS cluster ${name}` };
  }
  if (config.serverName !== undefined && config.serverName !== new URL(endpoint).hostname) {
    return { why: `${rule}, and serverName is another name than that of the endpoint` };
  }
  if (config.proxyUrl !== undefined && config.proxyUrl !== environmentProxy(endpoint, env)) {
    return { why: 'a token is sent through no proxy that the Secret alone names (proxyUrl)' };
  }
  // As AWS gives them: two readers of one PEM text may find different certificates in it.
  return { server: endpoint, caData };
}

/** The whole address: a path, a query or a login in it would be somebody's own. */
function isSame(server: string, endpoint: string): boolean {
  return (
    URL.canParse(server) &&
    URL.canParse(endpoint) &&
    new URL(endpoint).protocol === 'https:' &&
    new URL(server).href === new URL(endpoint).href
  );
}

function holdsOnly(caData: string | undefined, ofAws: string): boolean {
  const [held, own] = [fingerprints(caData ?? ''), fingerprints(ofAws)];
  return held.length > 0 && held.every((each) => own.includes(each));
}

function fingerprints(base64: string): string[] {
  return readCertificates(Buffer.from(base64, 'base64').toString('latin1')).map(
    ({ fingerprint256 }) => fingerprint256,
  );
}
