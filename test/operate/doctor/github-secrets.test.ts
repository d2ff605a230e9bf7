import * as fc from 'fast-check';
import { redacted, redactedUrl } from '../../../lib/core/redaction';
import { evaluatedSecret } from '../../../lib/operate/doctor/github/credentials';
import { githubCheck } from '../../../lib/operate/doctor/github/github-check';
import type { GitHubAnswer, GitHubHttp } from '../../../lib/operate/doctor/github/http';
import { GitHubUnreachable, obstacleOf } from '../../../lib/operate/doctor/github/http';
import { repositorySecret } from '../../../lib/operate/doctor/github/repository';
import { contextOf, secretOf } from './github-cluster';
import { keyShapes, testKey } from './github-keys';

const key = testKey();
const good = {
  url: 'https://github.com/acme/config',
  githubAppID: '12',
  githubAppInstallationID: '34',
  githubAppPrivateKey: key.pem,
};
type Fields = Readonly<Record<string, string | undefined>>;
const evaluated = (fields: Fields, type?: string) =>
  evaluatedSecret(repositorySecret(secretOf('github', fields, type)));

describe('the fields of a Secret', () => {
  test('good ones are no finding, for a repository and for a template', () => {
    expect(evaluated(good)).toMatchObject({
      findings: [],
      credential: { appId: '12', api: 'https://api.github.com' },
    });
    expect(evaluated({ ...good, url: 'https://github.com/acme' }, 'repo-creds').findings).toEqual([]);
  });

  test.each<[string, Fields, string, RegExp, boolean]>([
    [
      'no number of the App',
      { githubAppID: undefined },
      'incomplete-app',
      /missing or empty: githubAppID/,
      false,
    ],
    [
      'an empty number of the App',
      { githubAppID: '' },
      'incomplete-app',
      /missing or empty: githubAppID/,
      false,
    ],
    [
      'no key',
      { githubAppPrivateKey: undefined },
      'incomplete-app',
      /missing or empty: githubAppPrivateKey/,
      false,
    ],
    ['no URL', { url: undefined }, 'no-url', /url is missing/, true],
    [
      'a line break after the number',
      { githubAppID: '12\n' },
      'malformed-id',
      /is 12 with a line break/,
      false,
    ],
    [
      'a space before the number',
      { githubAppInstallationID: ' 34' },
      'malformed-id',
      /is 34 with white space/,
      false,
    ],
    [
      "Helm's fraction",
      { githubAppInstallationID: '2.636044e+07' },
      'malformed-id',
      /taken for a fraction/,
      false,
    ],
    ['a client ID', { githubAppID: 'Iv23liabcdef' }, 'malformed-id', /client ID/, false],
    ['an empty installation', { githubAppInstallationID: '' }, 'malformed-id', /leave it out/, false],
    ['a number that is too great', { githubAppID: '9'.repeat(30) }, 'malformed-id', /30 characters/, false],
    ['a key where a number belongs', { githubAppID: key.pem }, 'malformed-id', /not shown/, false],
    [
      'a password beside it',
      { username: 'x', password: 'hunter2' },
      'app-not-used',
      /password, which comes first/,
      true,
    ],
    [
      'an SSH key and a token',
      { sshPrivateKey: 'hunter2', bearerToken: 'hunter2' },
      'app-not-used',
      /bearerToken and sshPrivateKey, which come/,
      true,
    ],
    [
      'a field in other letters',
      { githubAppEnterpriseBaseURL: 'https://ghe.test/api/v3' },
      'unknown-field',
      /githubAppEnterpriseBaseURL/,
      true,
    ],
    [
      'an SSH URL',
      { url: 'git@github.com:acme/config.git' },
      'url-without-tls',
      /github.com:acme\/config/,
      true,
    ],
    [
      'a URL without TLS',
      { url: 'http://github.com/acme/config' },
      'url-without-tls',
      /http:\/\/github.com/,
      true,
    ],
    [
      'an Enterprise URL that is none',
      { githubAppEnterpriseBaseUrl: 'ghe.test' },
      'enterprise-url',
      /begin with https/,
      false,
    ],
    [
      'no Enterprise URL for another host',
      { url: 'https://ghe.test/acme/config' },
      'enterprise-url',
      /not set/,
      true,
    ],
    [
      "github.com's API for another host",
      { url: 'https://ghe.test/acme/config', githubAppEnterpriseBaseUrl: 'https://api.github.com/' },
      'enterprise-url',
      /api\.github\.com/,
      true,
    ],
    [
      'an Enterprise URL for github.com',
      { githubAppEnterpriseBaseUrl: 'https://ghe.test/api/v3' },
      'enterprise-url',
      /ghe\.test\/api/,
      true,
    ],
  ])('%s', (_what, changed, cause, evidence, asks) => {
    const { findings, credential } = evaluated({ ...good, ...changed });
    expect(findings.map((finding) => finding.cause)).toEqual([cause]);
    expect(findings[0]!.evidence.join(' ')).toMatch(evidence);
    expect(findings[0]).toMatchObject({ subject: 'Secret argocd/github', likelihood: 'certain' });
    expect(credential !== undefined).toBe(asks);
    expect(JSON.stringify(findings)).not.toContain('hunter2');
  });

  test('everything that is wrong is told at once', () => {
    const { findings } = evaluated({ githubAppID: 'x', githubAppPrivateKey: 'hunter2', password: 'hunter2' });
    expect(findings.map(({ cause }) => cause)).toEqual([
      'app-not-used',
      'no-url',
      'malformed-id',
      'key-not-pem',
    ]);
  });

  test.each([
    ['https://acme.ghe.com/a/b', 'https://api.acme.ghe.com.'],
    ['https://ghe.test/a/b', 'https://ghe.test/api/v3.'],
  ])('the API of %s is %s', (url, api) => {
    expect(evaluated({ ...good, url }).findings[0]!.next).toContain(api);
  });
});

/** Whether a text has a line of the key, or a good part of one. */
function leaks(text: string, secrets: readonly string[]): string[] {
  return secrets.filter((secret) => {
    for (let at = 0; at + 16 <= secret.length; at += 4) {
      if (text.includes(secret.slice(at, at + 16))) {
        return true;
      }
    }
    return false;
  });
}

describe('no key, token or password is ever told', () => {
  const keyLines = [key.pem, key.pkcs8].flatMap((pem) =>
    pem.split('\n').filter((line) => !line.startsWith('-----')),
  );
  const token = 'ghs_16C7e42F292c6912E7710c838347Ae178B4a';
  const password = 'correct-horse-battery-staple';
  const secrets = [...keyLines.filter((line) => line.length > 20), token, password];
  const shapes = keyShapes(key).map(([, text]) => text);

  test('whatever stands in the fields, and whatever answers', async () => {
    const value = fc.oneof(
      fc.constantFrom(...shapes, key.pem, password, '12', '34 ', '', 'https://github.com/acme/config'),
      fc.constantFrom(
        `https://x:${password}@github.com/a`,
        `http://x:${password}@proxy:1`,
        `x:${password}@proxy`,
      ),
    );
    const fields = fc.record(
      Object.fromEntries(
        [
          ...[
            'url',
            'githubAppID',
            'githubAppInstallationID',
            'githubAppPrivateKey',
            'githubAppEnterpriseBaseUrl',
          ],
          ...['password', 'proxy', 'githubAppPrivatekey', 'tlsClientCertKey'],
        ].map((name) => [name, value]),
      ),
      { requiredKeys: [] },
    );
    // Half of the runs have good fields but for one, so that GitHub is asked.
    const cases = fc.oneof(
      fields,
      fields.map((all) => ({ ...good, ...Object.fromEntries(Object.entries(all).slice(0, 1)) })),
    );
    const said = fc.constantFrom(
      token,
      key.pem,
      `Bearer ${token}`,
      `https://x:${password}@github.com`,
      keyLines[2]!,
      'Not Found',
    );
    let asked = 0;
    await fc.assert(
      fc.asyncProperty(
        cases,
        fc.constantFrom(200, 201, 401, 403, 404, 500),
        said,
        fc.boolean(),
        async (given, status, words, fails) => {
          const echoes: string[] = [];
          const http: GitHubHttp = {
            send: ({ authorization, url }) => {
              asked += 1;
              echoes.push(authorization);
              if (fails) {
                const error = Object.assign(new Error(`${words} ${authorization} ${url}`), {
                  code: 'ECONNRESET',
                });
                return Promise.reject(obstacleOf(error, `http://x:${password}@proxy:1`));
              }
              return Promise.resolve(
                answer(status, {
                  message: `${words} ${authorization}`,
                  token,
                  slug: words,
                  permissions: { [words]: words },
                }),
              );
            },
          };
          const report = await githubCheck({ http, env: {} }).examine(
            contextOf({ secrets: [secretOf('github', given)] }),
          );
          const text = JSON.stringify(report);
          expect(leaks(text, [...secrets, ...echoes])).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
    expect(asked).toBeGreaterThan(50);
  });

  test.each([
    `fatal: could not read ${key.pem} of it`,
    `said: ${token}`,
    `token ${token}`,
    `Authorization: Bearer ${token.slice(4)}`,
    `at https://me:${password}@proxy:3128/path`,
    `half of ${keyLines[3]}`,
    `jwt eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiIxMiJ9.c2lnbmF0dXJl`,
  ])('a text of others is cleaned: %#', (text) => {
    expect(leaks(redacted(text), [...secrets, 'eyJhbGciOiJSUzI1NiJ9', token.slice(4)])).toEqual([]);
    expect(redacted(text)).not.toContain(password);
  });

  test('what holds no secret stays readable', () => {
    const text = "'Expiration time' claim ('exp') is too far in the future - https://docs.github.com/rest";
    expect(redacted(text)).toBe(text);
    expect(redacted('a'.repeat(20).concat(' ').repeat(40))).toHaveLength(300);
    expect(redactedUrl('https://me:x@ghe.test:8443/api/v3?token=1#2')).toBe('https://ghe.test:8443/api/v3');
    expect(redactedUrl('git@github.com:acme/config.git')).toBe('github.com:acme/config.git');
    for (const text of [key.pem, 'me:hunter2', 'hunter2://hunter2', '']) {
      expect(redactedUrl(text)).toBe('a URL that is not shown');
    }
  });

  test('an error keeps no cause that could', () => {
    const error = obstacleOf(Object.assign(new Error('x'), { code: 'ECONNRESET' }), undefined);
    expect(error).toBeInstanceOf(GitHubUnreachable);
    expect(error.cause).toBeUndefined();
  });
});

function answer(status: number, body: object): GitHubAnswer {
  const now = Date.now();
  return {
    status,
    headers: { date: new Date(now).toUTCString() },
    body: JSON.stringify(body),
    sentAt: now,
    answeredAt: now,
  };
}
