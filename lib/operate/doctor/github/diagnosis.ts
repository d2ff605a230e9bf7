import { redactedUrl } from '../../../core/redaction';
import type { DoctorFinding } from '../check';
import { clockVerdict, skewText } from './clock-verdict';
import { describeCredential } from './credentials';
import type { AppCredential } from './credentials';
import type { NetworkFault } from './http';
import { tokenRefusal } from './refusal';
import type { DiagnosedCredential } from './refusal';
import { comparableOwner } from './repository';
import type { GrantedToken, TokenOutcome } from './token';

const words: Readonly<Record<NetworkFault, Pick<DoctorFinding, 'cause' | 'message' | 'next'>>> = {
  proxy: {
    cause: 'proxy',
    message: 'the proxy does not lead to GitHub from here',
    next: 'Check that the proxy is up, takes its password, and allows CONNECT to the API; then try from inside the cluster.',
  },
  certificate: {
    cause: 'certificate',
    message: "the certificate of GitHub's API is not accepted",
    next: 'Put the authority that signed it into the ConfigMap argocd-tls-certs-cm, under the host name of the API, which is not that of the repositories at github.com.',
  },
  tls: {
    cause: 'tls',
    message: 'there is no TLS with what listens there',
    next: 'Check the URL and its port, and what is between: something that breaks TLS open, or speaks HTTP.',
  },
  name: {
    cause: 'unknown-host',
    message: "the host of GitHub's API is not known here",
    next: 'Check the URL, and try from inside the cluster: its DNS may know more.',
  },
  refused: {
    cause: 'unreachable',
    message: "GitHub's API is not reached from here",
    next: 'Check the URL, routes and firewalls, and try from inside the cluster.',
  },
  slow: {
    cause: 'no-answer',
    message: "GitHub's API does not answer in time",
    next: 'Check firewalls that drop packets silently, and the proxy; Argo CD gives up after 15 s.',
  },
  cut: {
    cause: 'cut-off',
    message: "the connection to GitHub's API is cut",
    next: 'Check what is between: a proxy, a firewall, something that breaks TLS open.',
  },
};

/**
 * What was in the way to GitHub. From a machine outside of the cluster that is only a possible reason for the repo-server,
 * but a certificate that is not accepted will be no better there.
 */
function networkFaultFinding(
  credential: AppCredential,
  proxied: boolean,
  { kind, detail }: { readonly kind: NetworkFault; readonly detail: string },
): Omit<DoctorFinding, 'subject'> {
  return {
    ...words[kind],
    severity: kind === 'certificate' ? 'error' : 'warning',
    likelihood: kind === 'certificate' ? 'likely' : 'possible',
    evidence: [
      `requested as ${describeCredential(credential)}`,
      detail,
      ...(proxied && kind !== 'proxy' ? ['the request went by a proxy'] : []),
    ],
  };
}

/** A finding without the Secret that it is about. */
export type Diagnosis = Omit<DoctorFinding, 'subject'>;

/** What is wrong, by what came of asking for a token; nothing where all is well. */
export function diagnose(asked: DiagnosedCredential, outcome: TokenOutcome): Diagnosis[] {
  const { credential } = asked;
  const seen = [`requested as ${describeCredential(credential)}`];
  const found: Diagnosis[] = [];
  if (outcome.obstacle) {
    found.push(networkFaultFinding(credential, asked.proxied, outcome.obstacle));
  } else if (outcome.granted) {
    found.push(...grantedFindings(asked, outcome.granted, seen));
  } else if (outcome.reply) {
    found.push(tokenRefusal(asked, outcome.reply, outcome));
  }
  return [...found, ...ownClock(outcome)];
}

function ownClock({ ownSkewSeconds, byGitHubsClock }: TokenOutcome): Diagnosis[] {
  if (ownSkewSeconds === undefined || clockVerdict(ownSkewSeconds, 1) === 'accepted') {
    return [];
  }
  return [
    {
      cause: 'own-clock',
      severity: 'warning',
      likelihood: 'certain',
      message: `the clock of this machine is ${skewText(ownSkewSeconds)}, measured against GitHub's`,
      evidence: [
        byGitHubsClock
          ? "GitHub refused a token by this machine's clock; the request was repeated by GitHub's own"
          : "the Date of GitHub's answer",
      ],
      next: 'Set the clock of this machine; it shows nothing about the cluster.',
    },
  ];
}

function grantedFindings(
  { credential, owner }: DiagnosedCredential,
  { permissions, account, repositories }: GrantedToken,
  seen: readonly string[],
): Diagnosis[] {
  const found: Diagnosis[] = [];
  if (permissions && permissions.contents === undefined) {
    found.push({
      cause: 'no-permission',
      severity: 'error',
      likelihood: 'certain',
      message: 'GitHub gives a token, but not the right to read what is in repositories',
      evidence: [
        ...seen,
        `permissions: ${Object.keys(permissions).slice(0, 10).join(', ') || 'none'}; contents is not among them`,
      ],
      next: 'Give the App the repository permission "Contents: read", and accept it in the organisation.',
    });
  }
  const elsewhere =
    account !== undefined && owner !== undefined && comparableOwner(account) !== comparableOwner(owner);
  if (elsewhere) {
    found.push({
      cause: 'wrong-installation',
      severity: 'error',
      likelihood: 'likely',
      message: `the installation is that of ${account}, and the URL is that of ${owner}`,
      evidence: seen,
      next: `Set githubAppInstallationID to the App's installation in ${owner}.`,
    });
  }
  const hidden = Object.entries(repositories).filter(([, status]) => status === 404 || status === 403);
  if (hidden.length > 0 && !elsewhere) {
    found.push({
      cause: 'no-access',
      severity: 'error',
      likelihood: 'certain',
      message: 'GitHub gives a token, but it does not open every repository',
      evidence: [
        ...seen,
        ...hidden.map(([name, status]) => `${redactedUrl(`${credential.api}/repos/${name}`)}: ${status}`),
      ],
      next: "Add the repositories to the App's installation, or correct their URLs: GitHub answers 404 for both.",
    });
  }
  return found;
}
