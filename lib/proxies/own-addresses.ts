import { BlockList, isIP } from 'node:net';

/**
 * Loopback and link-local addresses. Among them is where EC2, ECS and EKS Pod Identity hand out credentials:
 * 169.254.169.254, 169.254.170.2, 169.254.170.23, fd00:ec2::254 and fd00:ec2::23.
 *
 * @see https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/instancedata-data-retrieval.html
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-container-credentials.html
 */
const own = new BlockList();
own.addSubnet('127.0.0.0', 8, 'ipv4');
own.addAddress('::1', 'ipv6');
own.addSubnet('169.254.0.0', 16, 'ipv4');
own.addSubnet('fe80::', 10, 'ipv6');
own.addSubnet('fd00:ec2::', 32, 'ipv6');

/** Variables with the URL of a service that hands out credentials. */
const credentialServices = ['AWS_CONTAINER_CREDENTIALS_FULL_URI', 'AWS_EC2_METADATA_SERVICE_ENDPOINT'];

/**
 * Whether a host means something else to a proxy, which has addresses of its own of that kind, or gets credentials that
 * are for this machine alone.
 *
 * @param host in small letters, without brackets
 */
export function isOwn(host: string, env: Readonly<Record<string, string | undefined>>): boolean {
  const family = isIP(host);
  if (family !== 0) {
    return own.check(host, family === 6 ? 'ipv6' : 'ipv4') || isCredentialService(host, env);
  }
  return host === 'localhost' || host.endsWith('.localhost') || isCredentialService(host, env);
}

function isCredentialService(host: string, env: Readonly<Record<string, string | undefined>>): boolean {
  return credentialServices.some((name) => {
    const url = env[name] ?? '';
    return URL.canParse(url) && new URL(url).hostname.replace(/^\[|\]$/g, '') === host;
  });
}
