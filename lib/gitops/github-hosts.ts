import type { Problems } from '../problems';
import { hasMarker } from '../tokens';

/** URLs by the list that they stand in. */
export type GitHubUrls = Readonly<Record<string, readonly { readonly url: string }[]>>;

/**
 * Checks that URLs of repositories and the URL of the API are of one GitHub. What a deployment completes can't be judged.
 *
 * @param enterpriseUrl URL of the API. Default: that of github.com
 * @see https://docs.github.com/en/enterprise-server@3.17/rest/using-the-rest-api/getting-started-with-the-rest-api
 * @see https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency/about-github-enterprise-cloud-with-data-residency
 */
export function checkGitHubHosts(
  problems: Problems,
  enterpriseUrl: string | undefined,
  urls: GitHubUrls,
): void {
  const api = enterpriseUrl ?? 'https://api.github.com';
  const own = hostOf(api);
  if (own === undefined) {
    return;
  }
  const host = own.startsWith('api.') ? own.slice('api.'.length) : own;
  if (!own.startsWith('api.') && !/\/api\/v3\/?$/.test(api)) {
    problems.addSecret(
      'enterpriseUrl',
      'the URL of the API, which ends with "/api/v3" at a GitHub Enterprise Server',
    );
  }
  for (const [list, entries] of Object.entries(urls)) {
    entries.forEach(({ url }, index) => {
      const at = hostOf(url);
      if (at !== undefined && at !== host) {
        problems.addSecret(
          `${list}[${index}].url`,
          enterpriseUrl === undefined
            ? `a URL at github.com, or "enterpriseUrl" the API of its host`
            : `a URL at ${host}, whose API "enterpriseUrl" is`,
        );
      }
    });
  }
}

/** Nothing where the URL is none, or not final: it is judged elsewhere. */
function hostOf(url: unknown): string | undefined {
  return typeof url === 'string' && !hasMarker(url) && URL.canParse(url) && /^https:/i.test(url)
    ? new URL(url).host.toLowerCase()
    : undefined;
}
