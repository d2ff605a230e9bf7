import type { Finding } from '../finding';
import type { AppCredential } from './app-credential';
import { describeCredential } from './app-credential';
import type { Obstacle } from './github-http';

const words: Readonly<Record<Obstacle, Pick<Finding, 'cause' | 'message' | 'next'>>> = {
  proxy: {
    cause: 'proxy',
    message: 'the proxy does not lead to GitHub from here',
    next: 'Look whether the proxy is up, takes its password, and allows CONNECT to the API; then ask from inside the cluster.',
  },
  certificate: {
    cause: 'certificate',
    message: "the certificate of GitHub's API is not accepted",
    next: 'Put the authority that signed it into the ConfigMap argocd-tls-certs-cm, under the host name of the API, which is not that of the repositories at github.com.',
  },
  tls: {
    cause: 'tls',
    message: 'there is no TLS with what listens there',
    next: 'Look at the URL and its port, and at what stands between: something that breaks TLS open, or speaks HTTP.',
  },
  name: {
    cause: 'unknown-host',
    message: "the host of GitHub's API is not known here",
    next: 'Look at the URL, and ask from inside the cluster: its DNS may know more.',
  },
  refused: {
    cause: 'unreachable',
    message: "GitHub's API is not reached from here",
    next: 'Look at the URL, routes and firewalls, and ask from inside the cluster.',
  },
  slow: {
    cause: 'no-answer',
    message: "GitHub's API does not answer in time",
    next: 'Look at firewalls that drop without a word, and at the proxy; Argo CD gives up after 15 s.',
  },
  cut: {
    cause: 'cut-off',
    message: "the connection to GitHub's API is cut",
    next: 'Look at what stands between: a proxy, a firewall, something that breaks TLS open.',
  },
};

/**
 * What stood in the way to GitHub. From a machine outside of the cluster that is only a possible reason for the repo-server,
 * but a certificate that is not accepted will be no better there.
 */
export function obstacleFinding(
  credential: AppCredential,
  proxied: boolean,
  { kind, detail }: { readonly kind: Obstacle; readonly detail: string },
): Omit<Finding, 'subject'> {
  return {
    ...words[kind],
    severity: kind === 'certificate' ? 'error' : 'warning',
    likelihood: kind === 'certificate' ? 'likely' : 'possible',
    evidence: [
      `asked as ${describeCredential(credential)}`,
      detail,
      ...(proxied && kind !== 'proxy' ? ['the request went by a proxy'] : []),
    ],
  };
}
