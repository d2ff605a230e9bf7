import type { DoctorFinding } from '../check';
import { describeCredential } from './credentials';
import type { AppCredential } from './credentials';
import { expectedApi } from './fields';
import { comparableOwner } from './repository';
import type { RateLimit, Reply, TokenOutcome } from './token';

type Cause = Pick<DoctorFinding, 'cause' | 'likelihood' | 'message' | 'next'> & {
  readonly severity?: DoctorFinding['severity'];
  readonly evidence?: readonly string[];
};

type Refused = Pick<TokenOutcome, 'app' | 'installations' | 'byGitHubsClock'>;

/**
 * Why GitHub gave no token, by its status and its words.
 *
 * The words: "Integration not found" (404), "Integration must generate a public key", "A JSON web token could not be
 * decoded", "'Issued at' claim ('iat') …" and "'Expiration time' claim ('exp') …" (401), "This installation has been
 * suspended" (403).
 *
 * @see https://github.com/probot/probot/issues/967 iat
 * @see https://github.com/octokit/auth-app.js/issues/698 exp
 * @see https://github.com/actions/create-github-app-token/issues/153 a key that is not the App's
 * @see https://github.com/actions/create-github-app-token/issues/76 an App that is not there
 * @see https://github.com/octokit/octokit.rb/issues/1080 an App without keys
 * @see https://github.com/octokit/octokit.rb/pull/1307 a suspended installation
 */
export function tokenRefusal(
  asked: DiagnosedCredential,
  reply: Reply,
  outcome: Refused,
): Omit<DoctorFinding, 'subject'> {
  const { evidence = [], ...cause } = causeOf(asked, reply, outcome);
  const said = reply.isApi ? `"${reply.message}"` : 'not the JSON of its API';
  return {
    severity: 'error',
    ...cause,
    evidence: [
      `requested as ${describeCredential(asked.credential)}`,
      `the answer: ${reply.status} ${said}`,
      ...evidence,
    ],
  };
}

function causeOf(asked: DiagnosedCredential, reply: Reply, outcome: Refused): Cause {
  const { status, message, rateLimit, isApi } = reply;
  if (isRateLimit(reply)) {
    return tooMany(rateLimit);
  }
  if (!isApi || (status >= 300 && status < 400)) {
    return otherServer(asked, status);
  }
  if (/\bclaim \('(iat|exp)'\)/i.test(message)) {
    return badTime(outcome.byGitHubsClock);
  }
  if (/suspended/i.test(message)) {
    return suspended;
  }
  if (/ip allow list/i.test(message)) {
    return notAllowedFromHere;
  }
  if (/integration not found/i.test(message)) {
    return wrongApp(asked);
  }
  if (status === 401) {
    return wrongKey(asked, message);
  }
  if (status === 404) {
    return wrongInstallation(asked, outcome);
  }
  return status >= 500 ? failing : notUnderstood;
}

/** GitHub says 403 or 429, with headers or, for its secondary limits, in words. */
function isRateLimit({ status, message, rateLimit }: Reply): boolean {
  const limited = rateLimit?.remaining === 0 || rateLimit?.retryAfter !== undefined;
  return status === 429 || (status === 403 && (limited || /rate limit/i.test(message)));
}

function tooMany(limit: RateLimit | undefined): Cause {
  const { retryAfter, resetAt } = limit ?? {};
  const until =
    retryAfter !== undefined
      ? `in ${retryAfter} s`
      : resetAt !== undefined
        ? `at ${resetAt.toISOString()}`
        : 'after a minute at the earliest';
  return {
    cause: 'rate-limit',
    likelihood: 'certain',
    message: 'GitHub takes no more calls for now',
    evidence: limit?.remaining === undefined ? [] : [`calls left in this hour: ${limit.remaining}`],
    next: `Try again ${until}; then look for what calls so often: short reconciliation, many repositories, no webhook.`,
  };
}

function otherServer({ credential, proxied }: DiagnosedCredential, status: number): Cause {
  const { hostname } = new URL(credential.api);
  const wanted = expectedApi(hostname.replace(/^api\./, ''));
  return {
    cause: 'enterprise-url',
    likelihood: 'likely',
    message: "what answers is not GitHub's API",
    evidence: [
      status >= 300 && status < 400
        ? 'it redirects, and Argo CD does not follow'
        : 'it may be a page to log in at',
      ...(proxied ? ['the request went by a proxy, which may have answered itself'] : []),
    ],
    next: `Set githubAppEnterpriseBaseUrl to the URL of the API, ${wanted} for a server of this name.`,
  };
}

function badTime(byGitHubsClock: boolean): Cause {
  return {
    cause: byGitHubsClock ? 'server-clock' : 'own-clock',
    likelihood: byGitHubsClock ? 'likely' : 'certain',
    message: byGitHubsClock
      ? 'GitHub refuses the times in a token that was made by the Date of its own answers: its clocks disagree'
      : "GitHub refuses the times in a token of this machine's clock",
    next: byGitHubsClock
      ? 'Check the clocks of the GitHub Enterprise Server, and of what is in front of it.'
      : 'Set the clock of this machine, and try again: nothing is known of the credential yet.',
  };
}

const suspended: Cause = {
  cause: 'suspended',
  likelihood: 'certain',
  message: 'the installation is suspended',
  next: 'Let an owner of the organisation unsuspend the App, in its settings under "GitHub Apps".',
};

const notAllowedFromHere: Cause = {
  cause: 'address-not-allowed',
  severity: 'warning',
  likelihood: 'possible',
  message: "the organisation's list of allowed addresses does not have that of this machine",
  next: "Try from a machine that leaves by the cluster's address, or compare that address with the list.",
};

function wrongApp({ credential }: DiagnosedCredential): Cause {
  return {
    cause: 'wrong-app',
    likelihood: 'certain',
    message: `this GitHub has no App ${credential.appId}: the number is wrong, or the App was deleted`,
    next: 'Compare githubAppID with "App ID" on the page of the App; it is neither the client ID nor the installation.',
  };
}

function wrongKey({ credential }: DiagnosedCredential, message: string): Cause {
  const none = /generate a public key/i.test(message);
  return {
    cause: 'wrong-key',
    likelihood: 'certain',
    message: none
      ? `App ${credential.appId} has no keys at all: they were revoked, or the number is that of another App`
      : `the key is none of App ${credential.appId}: it was revoked, or key and number are of two Apps`,
    evidence: [`the key in the Secret: ${credential.key.fingerprint}`],
    next: 'Look for this SHA256 on the page of the App, under "Private keys". Where it is not, store a new key; where it is on that of another App, correct githubAppID.',
  };
}

function wrongInstallation({ credential, owner }: DiagnosedCredential, outcome: Refused): Cause {
  const { app, installations = [] } = outcome;
  const own =
    owner === undefined
      ? undefined
      : installations.find(({ account }) => comparableOwner(account) === comparableOwner(owner));
  const number = credential.installationId;
  return {
    cause: 'wrong-installation',
    likelihood: app?.known ? 'certain' : 'likely',
    message:
      number === undefined
        ? 'the App is not installed where the URL points'
        : `the App has no installation ${number}: the number is wrong, or the App was uninstalled`,
    evidence: [
      ...(app?.known ? [`GitHub knows the App${app.name ? ` ${app.name}` : ''} and its key`] : []),
      ...(outcome.installations
        ? [
            `its installations: ${
              installations
                .slice(0, 10)
                .map(({ id, account }) => `${id} (${account})`)
                .join(', ') || 'none'
            }`,
          ]
        : []),
    ],
    next: own
      ? `Set githubAppInstallationID to ${own.id}, the installation of ${own.account}.`
      : 'Install the App in the organisation of the URL, and set githubAppInstallationID to the number at the end of the URL of its settings.',
  };
}

const failing: Cause = {
  cause: 'github-fails',
  severity: 'warning',
  likelihood: 'certain',
  message: 'GitHub failed, also on a second try',
  next: 'Check https://www.githubstatus.com, or the GitHub Enterprise Server, and try again.',
};

const notUnderstood: Cause = {
  cause: 'refused',
  likelihood: 'certain',
  message: 'GitHub gives no token, for a reason that is not known here',
  next: "Go by the words of GitHub's answer.",
};

/** What is known of whose token was asked for. */
export interface DiagnosedCredential {
  readonly credential: AppCredential;
  /** Organisation or user of the Secret's URL. @default - the URL has none */
  readonly owner?: string;
  /** Whether the request went by a proxy. */
  readonly proxied: boolean;
}
