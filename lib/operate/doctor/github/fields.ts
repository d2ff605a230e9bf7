import { redactedUrl } from '../../../core/redaction';
import type { DoctorFinding } from '../check';
import type { KeyFault } from './private-key';
import { repositoryAddress } from './repository';
import type { RepositorySecret } from './repository';

/** A truth value as Argo CD reads it: `1`, `t`, `true` and their like. */
export function isTruthValue(text: string | undefined): boolean {
  return /^(1|t|T|true|TRUE|True)$/.test(text ?? '');
}

/** Something that is wrong with fields, before the Secret's name is put to it. */
type FieldProblem = Pick<DoctorFinding, 'cause' | 'severity' | 'message' | 'evidence' | 'next'> & {
  /** Whether GitHub can't be asked with these fields. */
  readonly final: boolean;
};

const known = ['githubAppID', 'githubAppInstallationID', 'githubAppPrivateKey', 'githubAppEnterpriseBaseUrl'];

/**
 * What is wrong with the fields of a GitHub App, but for the key itself. A value is shown only where it is a number.
 *
 * @see https://github.com/argoproj/argo-cd/blob/v3.3.4/pkg/apis/application/v1alpha1/repository_types.go GetGitCreds
 */
export function appFieldProblems(secret: RepositorySecret): FieldProblem[] {
  return [
    ...misspelt(secret),
    ...shadowed(secret),
    ...missing(secret),
    ...numberProblems(secret, 'githubAppID'),
    ...numberProblems(secret, 'githubAppInstallationID'),
    ...urlProblems(secret),
  ];
}

function misspelt({ fields }: RepositorySecret): FieldProblem[] {
  return Object.keys(fields)
    .filter((key) => /^githubapp/i.test(key) && !known.includes(key))
    .map((key) => ({
      cause: 'unknown-field',
      severity: 'error',
      final: false,
      message: `it has a field that Argo CD does not read`,
      evidence: [`field ${key.slice(0, 60)}; Argo CD reads ${known.join(', ')}`],
      next: 'Rename the field; letter case counts.',
    }));
}

function shadowed({ fields }: RepositorySecret): FieldProblem[] {
  const before = ['password', 'bearerToken', 'sshPrivateKey'].filter((key) => fields[key]);
  return before.length === 0
    ? []
    : [
        {
          cause: 'app-not-used',
          severity: 'warning',
          final: false,
          message: 'it has two credentials, and Argo CD does not use that of the GitHub App',
          evidence: [
            `it also has ${before.join(' and ')}, which ${before.length > 1 ? 'come' : 'comes'} first`,
          ],
          next: `Remove the fields of the one that is not wanted: ${before.join(', ')} or those of the GitHub App.`,
        },
      ];
}

function missing({ fields, template, url }: RepositorySecret): FieldProblem[] {
  const absent = ['githubAppID', 'githubAppPrivateKey'].filter((key) => !fields[key]);
  const found: FieldProblem[] = [];
  if (absent.length > 0) {
    found.push({
      cause: 'incomplete-app',
      severity: 'error',
      final: true,
      message:
        'the GitHub App is incomplete: Argo CD then logs in without any credential, and reports no error',
      evidence: [`missing or empty: ${absent.join(', ')}`],
      next: `Add ${absent.join(' and ')} to the Secret.`,
    });
  }
  if (url.trim() === '') {
    found.push({
      cause: 'no-url',
      severity: 'error',
      final: false,
      message: template
        ? 'it has no URL, so it fits no repository'
        : 'it has no URL, so it is the Secret of no repository',
      evidence: ['the field url is missing or empty'],
      next: 'Add the field url.',
    });
  }
  return found;
}

function numberProblems({ fields }: RepositorySecret, key: string): FieldProblem[] {
  const text = fields[key];
  // Argo CD reads a field that is there and empty as a number, too.
  if (text === undefined || isInteger(text) || (text === '' && key === 'githubAppID')) {
    return [];
  }
  return [
    {
      cause: 'malformed-id',
      severity: 'error',
      final: true,
      message: `${key} is not a whole number, so Argo CD can't read the Secret at all`,
      evidence: [`${key} ${whyNoInteger(text)}`, 'Argo CD: strconv.ParseInt: invalid syntax'],
      next: `Write ${key} as digits alone, in quotes where it is YAML.`,
    },
  ];
}

function isInteger(text: string): boolean {
  return /^[+-]?\d{1,18}$/.test(text);
}

function whyNoInteger(text: string): string {
  if (text === '') {
    return 'is empty; leave it out instead';
  }
  if (isInteger(text.trim())) {
    return /[\r\n]$/.test(text)
      ? `is ${text.trim()} with a line break after it`
      : `is ${text.trim()} with white space around it`;
  }
  if (/^\d(\.\d+)?e\+?\d+$/i.test(text)) {
    return `is ${text}: a number that YAML or Helm has taken for a fraction`;
  }
  if (/^Iv\d/.test(text)) {
    return 'looks like a client ID; the number is above it on the page of the App';
  }
  return `has ${text.length} characters that are no number; they are not shown`;
}

function urlProblems({ fields, url }: RepositorySecret): FieldProblem[] {
  const base = fields.githubAppEnterpriseBaseUrl ?? '';
  const host = repositoryAddress(url)?.host;
  const asksPublicApi = base === '' || /^https:\/\/api\.github\.com\/*$/i.test(base);
  const found: FieldProblem[] = [];
  if (url.trim() !== '' && !/^https:\/\//i.test(url.trim())) {
    found.push({
      cause: 'url-without-tls',
      severity: 'error',
      final: false,
      message: 'a GitHub App logs in over HTTPS, and the URL is of another kind',
      evidence: [`url ${redactedUrl(url)}`],
      next: 'Write the URL as https://HOST/OWNER/REPOSITORY.',
    });
  }
  if (base !== '' && !isHttpUrl(base)) {
    found.push({
      cause: 'enterprise-url',
      severity: 'error',
      final: true,
      message: 'githubAppEnterpriseBaseUrl is no URL',
      evidence: ['it does not begin with https://HOST; it is not shown'],
      next: 'Write the URL of the API: https://HOST/api/v3 for a GitHub Enterprise Server.',
    });
  } else if (asksPublicApi && host !== undefined && !isPublic(host)) {
    found.push({
      cause: 'enterprise-url',
      severity: 'error',
      final: false,
      message: 'the repository is at a GitHub of its own, and Argo CD requests the token from api.github.com',
      evidence: [
        `url ${redactedUrl(url)}`,
        `githubAppEnterpriseBaseUrl is ${base === '' ? 'not set' : redactedUrl(base)}`,
      ],
      next: `Set githubAppEnterpriseBaseUrl: ${expectedApi(host)}.`,
    });
  } else if (!asksPublicApi && host !== undefined && isPublic(host)) {
    found.push({
      cause: 'enterprise-url',
      severity: 'error',
      final: false,
      message: 'the repository is at github.com, and Argo CD requests the token from another GitHub',
      evidence: [`url ${redactedUrl(url)}`, `githubAppEnterpriseBaseUrl ${redactedUrl(base)}`],
      next: 'Remove githubAppEnterpriseBaseUrl.',
    });
  }
  return found;
}

function isHttpUrl(text: string): boolean {
  return /^https?:\/\/[\w.-]+(:\d+)?(\/|$)/i.test(text) && URL.canParse(text);
}

function isPublic(host: string): boolean {
  return host === 'github.com' || host === 'www.github.com' || host === 'ssh.github.com';
}

/**
 * The API of a GitHub by its host.
 *
 * @see https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency/about-github-enterprise-cloud-with-data-residency
 */
export function expectedApi(host: string): string {
  return host.endsWith('.ghe.com') ? `https://api.${host}` : `https://${host}/api/v3`;
}

/** What is wrong with a key in words, and how to fix it. Nothing of the key is in them. */
const words: Readonly<Record<KeyFault, readonly [evidence: string, next: string]>> = {
  empty: ['it is empty', 'Write the key into the Secret.'],
  'not-pem': [
    'it has no line that begins with "-----BEGIN"',
    'Write the whole file that GitHub gave out into the Secret, its first and last line included.',
  ],
  'base64-twice': [
    'it is base64 of a key: it was encoded once too often',
    'Put the base64 of the file into "data", or the file itself into "stringData".',
  ],
  'escaped-line-breaks': [
    'it has the two characters "\\n" where line breaks belong',
    'Turn "\\n" into line breaks before the key is stored: it was JSON, or a variable of a CI system.',
  ],
  'one-line': [
    'its lines have become one',
    'Keep the line breaks: "|" in YAML, quotes around a variable in a shell.',
  ],
  indented: [
    'its first or last line is indented',
    'Remove the white space before the lines: the key was cut out of a YAML file.',
  ],
  truncated: [
    'it ends before its end',
    'Store the whole file; a field of the secret store may be too short for it.',
  ],
  damaged: [
    'what is between its first and last line is no key',
    'Store the file again, as GitHub gave it out, and compare its size.',
  ],
  passphrase: [
    'it is encrypted with a passphrase, which Argo CD has nowhere to take from',
    'Store the key without one: openssl rsa -in FILE -out PLAIN.',
  ],
  openssh: [
    'it is in the format of OpenSSH',
    'Store the file that GitHub gave out, or convert it: ssh-keygen -p -m PEM -f FILE.',
  ],
  'public-key': ['it is a public key', 'Store the private key that GitHub gave out.'],
  certificate: ['it is a certificate', 'Store the private key that GitHub gave out.'],
  'not-rsa': [
    'it is a key, but not for RSA',
    'Store the private key that GitHub gave out; GitHub knows no other kind for Apps.',
  ],
};

/** The problem that a key that can't be read is. */
export function keyProblem(fault: KeyFault): FieldProblem {
  const [evidence, next] = words[fault];
  return {
    cause: `key-${fault}`,
    severity: 'error',
    final: true,
    message: "Argo CD can't read githubAppPrivateKey",
    evidence: [`githubAppPrivateKey: ${evidence}`],
    next,
  };
}
