/** What a repo-server wrote of its own requests for tokens, in lines. */
export interface LogFailures {
  /** 401: GitHub took no token of the App. */
  readonly refused: number;
  /** Other statuses of GitHub, by number. */
  readonly otherStatuses: Readonly<Record<string, number>>;
  readonly certificate: number;
  readonly proxy: number;
  /** No way to GitHub for another reason: names, connections, time. */
  readonly unreachable: number;
  /** Git itself was refused: a token that has ended, or another credential. */
  readonly git: number;
  /** Installations whose tokens were refused with 401. */
  readonly installations: readonly string[];
}

/**
 * Counts failures in the log of a repo-server, written as text or as JSON. One failure may stand in more than one line.
 *
 * @see https://github.com/bradleyfalzon/ghinstallation/blob/v2.17.0/transport.go refreshToken
 * @see https://github.com/argoproj/argo-cd/issues/11231 such lines
 */
export function logFailures(text: string): LogFailures {
  const counts = { refused: 0, certificate: 0, proxy: 0, unreachable: 0, git: 0 };
  const otherStatuses: Record<string, number> = {};
  const installations = new Set<string>();
  for (const line of text.split('\n')) {
    const [, status, installation] = answered.exec(line) ?? [];
    const [, reason] = unanswered.exec(line) ?? [];
    if (status === '401') {
      counts.refused += 1;
      installations.add(installation!);
    } else if (status !== undefined) {
      otherStatuses[status] = (otherStatuses[status] ?? 0) + 1;
    } else if (reason !== undefined) {
      counts[wayOf(reason)] += 1;
    } else if (gitRefused.test(line)) {
      counts.git += 1;
    }
  }
  return { ...counts, otherStatuses, installations: [...installations] };
}

/** Quotes may be escaped, more than once. */
const answered =
  /received non 2xx response status [\\"]*(\d{3})\b.{0,80}? when fetching \S+?\/app\/installations\/(\d+)\/access_tokens/;
const unanswered = /could not get access_tokens from GitHub API for installation ID \d+: (.*)/;
/** Words of go-git and of git. */
const gitRefused = /\bauthentication required\b|Authentication failed for /;

/** Words of Go's network library. */
function wayOf(reason: string): 'certificate' | 'proxy' | 'unreachable' {
  if (/x509:|certificate/.test(reason)) {
    return 'certificate';
  }
  return /^proxyconnect |Proxy Authentication Required|^(Forbidden|Bad Gateway|Service Unavailable)\b/.test(
    reason,
  )
    ? 'proxy'
    : 'unreachable';
}
