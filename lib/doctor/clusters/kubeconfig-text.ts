import type { ClusterConfig } from './cluster-config';

/** What says who asks; an empty one is anonymous. */
export interface ClusterCredential {
  readonly token?: string;
  readonly username?: string;
  readonly password?: string;
  /** PEM in base64. */
  readonly certificate?: string;
  readonly key?: string;
}

/**
 * The configuration of a cluster Secret as a kubeconfig, with which this machine asks the cluster as Argo CD does. It holds
 * credentials, and is never written anywhere.
 */
export function kubeconfigText(server: string, config: ClusterConfig, credential: ClusterCredential): string {
  const { insecure, caData, serverName, proxyUrl } = config;
  const { token, username, password, certificate, key } = credential;
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'cluster',
    contexts: [{ name: 'cluster', context: { cluster: 'cluster', user: 'argo-cd' } }],
    clusters: [
      {
        name: 'cluster',
        cluster: {
          server,
          'certificate-authority-data': caData,
          'tls-server-name': serverName,
          'proxy-url': proxyUrl,
          ...(insecure ? { 'insecure-skip-tls-verify': true } : {}),
        },
      },
    ],
    users: [
      {
        name: 'argo-cd',
        user: {
          token,
          username,
          password,
          'client-certificate-data': certificate,
          'client-key-data': key,
        },
      },
    ],
  });
}
