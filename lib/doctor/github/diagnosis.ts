import type { Finding } from '../finding';
import { describeCredential } from './app-credential';
import { clockVerdict, skewText } from './clock-verdict';
import type { DiagnosedCredential } from './diagnosed-credential';
import { obstacleFinding } from './obstacle-finding';
import { shownUrl } from '../redaction';
import { refusal } from './refusal';
import { comparableOwner } from './repository-address';
import type { GrantedToken, TokenOutcome } from './token-outcome';

/** A finding without the Secret that it is about. */
export type Diagnosis = Omit<Finding, 'subject'>;

/** What is wrong, by what came of asking for a token; nothing where all is well. */
export function diagnose(asked: DiagnosedCredential, outcome: TokenOutcome): Diagnosis[] {
  const { credential } = asked;
  const seen = [`asked as ${describeCredential(credential)}`];
  const found: Diagnosis[] = [];
  if (outcome.obstacle) {
    found.push(obstacleFinding(credential, asked.proxied, outcome.obstacle));
  } else if (outcome.granted) {
    found.push(...grantedFindings(asked, outcome.granted, seen));
  } else if (outcome.reply) {
    found.push(refusal(asked, outcome.reply, outcome));
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
      next: 'Set the clock of this machine; it says nothing of the cluster.',
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
        ...hidden.map(([name, status]) => `${shownUrl(`${credential.api}/repos/${name}`)}: ${status}`),
      ],
      next: "Add the repositories to the App's installation, or correct their URLs: GitHub says 404 for both.",
    });
  }
  return found;
}
