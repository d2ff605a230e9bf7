import { environmentProxy } from '../../proxies';
import type { AppCredential } from './app-credential';
import type { GitHubRoute } from './github-http';

/**
 * Certificates that Argo CD knows servers by: the data of the ConfigMap `argocd-tls-certs-cm`, PEM by host name.
 *
 * @see https://argo-cd.readthedocs.io/en/stable/user-guide/private-repositories/#self-signed-untrusted-tls-certificates
 */
export type ServerCertificates = Readonly<Record<string, string>>;

/**
 * The way to the API as Argo CD goes it: by the Secret's proxy, else by the environment's, with the certificates that it has
 * for the host, and no others where it has some. The environment is that of this machine, not that of the repo-server.
 *
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/util/git/client.go GetRepoHTTPClient
 */
export function routeOf(
  credential: AppCredential,
  certificates: ServerCertificates,
  env: NodeJS.ProcessEnv,
): GitHubRoute {
  const { api, insecure, clientCertificate, clientKey } = credential;
  const proxy = environmentProxy(api, proxyVariables(credential, env));
  const certificateAuthority = certificates[new URL(api).hostname];
  return {
    insecure,
    ...(proxy === undefined ? {} : { proxy }),
    ...(certificateAuthority ? { certificateAuthority } : {}),
    ...(clientCertificate && clientKey ? { clientCertificate, clientKey } : {}),
  };
}

function proxyVariables({ proxy, noProxy }: AppCredential, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return proxy === undefined ? env : { HTTPS_PROXY: proxy, HTTP_PROXY: proxy, NO_PROXY: noProxy ?? '' };
}
