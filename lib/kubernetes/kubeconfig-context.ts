import type { Problems } from '../problems';
import type { ClusterAccess } from './cluster-access';
import type { Kubeconfig, KubeconfigEntry } from './kubeconfig';
import { KubeconfigFields, shortName } from './kubeconfig-fields';
import { materialOf } from './kubeconfig-material';
import { userOf } from './kubeconfig-user';

/** How many contexts a message names. */
const mostNamed = 20;

/**
 * What one context of a kubeconfig says.
 *
 * @param source what the kubeconfig is, for problems
 * @param chosen name of the context; the current one where left out
 */
export function accessOf(
  kubeconfig: Kubeconfig,
  source: string,
  problems: Problems,
  chosen?: string,
): ClusterAccess | undefined {
  const name = chosen ?? kubeconfig.currentContext;
  if (name === undefined) {
    problems.addSecret(
      `${source}.current-context`,
      `set, or a context be chosen; there are: ${namesIn(kubeconfig)}`,
    );
    return undefined;
  }
  const context = kubeconfig.contexts.get(name);
  if (!context) {
    problems.add(
      chosen === undefined ? `${source}.current-context` : 'context',
      name,
      `a context of the kubeconfig; there are: ${namesIn(kubeconfig)}`,
    );
    return undefined;
  }
  const at = `${source}.contexts.${shortName(name)}`;
  const fields = new KubeconfigFields(context.fields, at, problems);
  const [clusterName, userName, namespace] = [
    fields.text('cluster'),
    fields.text('user'),
    fields.text('namespace'),
  ];
  fields.refuseOthers();
  const cluster = kubeconfig.clusters.get(clusterName ?? '');
  if (!cluster) {
    problems.add(`${at}.cluster`, clusterName, 'the name of a cluster in the kubeconfig');
  }
  const user = kubeconfig.users.get(userName ?? '');
  if (!user && userName !== undefined) {
    problems.add(`${at}.user`, userName, 'the name of a user in the kubeconfig');
  }
  const part = (of: 'clusters' | 'users', key: string, entry: KubeconfigEntry): KubeconfigFields =>
    new KubeconfigFields(entry.fields, `${source}.${of}.${shortName(key)}`, problems);
  const read = user ? userOf(user, part('users', userName ?? '', user)) : {};
  return (
    cluster && {
      ...clusterOf(cluster, part('clusters', clusterName ?? '', cluster)),
      ...(namespace === undefined ? {} : { namespace }),
      user: read,
    }
  );
}

function namesIn({ contexts }: Kubeconfig): string {
  const names = [...contexts.keys()].map(shortName);
  const more = names.length > mostNamed ? ` and ${names.length - mostNamed} more` : '';
  return names.length === 0 ? 'none' : `${names.slice(0, mostNamed).join(', ')}${more}`;
}

function clusterOf(entry: KubeconfigEntry, fields: KubeconfigFields): Omit<ClusterAccess, 'user'> {
  const { path, problems } = fields;
  const server = fields.text('server');
  const problem = serverProblem(server);
  if (problem !== undefined) {
    // Before "@", or behind "?", may be a password.
    const isShown = !/[@?#]/.test(server ?? '');
    problems.addAll([{ path: `${path}.server`, ...(isShown ? { value: server } : {}), allowed: problem }]);
  }
  const proxyUrl = fields.text('proxy-url');
  if (proxyUrl !== undefined && !isProxy(proxyUrl)) {
    // It may hold a password.
    problems.addSecret(
      `${path}.proxy-url`,
      'a URL that begins with http://, https://, socks5:// or socks5h://',
    );
  }
  const serverName = fields.text('tls-server-name');
  const certificateAuthority = materialOf(entry, fields, 'certificate-authority');
  const insecure = fields.flag('insecure-skip-tls-verify');
  fields.flag('disable-compression');
  fields.refuseOthers();
  return {
    server: (server ?? '').replace(/(?<!\/)\/+$/, ''),
    ...(certificateAuthority ? { certificateAuthority } : {}),
    ...(serverName === undefined ? {} : { serverName }),
    ...(insecure ? { insecure } : {}),
    ...(proxyUrl === undefined ? {} : { proxyUrl }),
  };
}

/** Messages name the server, so that nothing secret may stand in its URL. */
function serverProblem(server: string | undefined): string | undefined {
  const url = urlOf(server);
  const local = ['localhost', '127.0.0.1', '[::1]'].includes(url?.hostname ?? '');
  if (url?.protocol !== 'https:' && !(url?.protocol === 'http:' && local)) {
    return 'an https URL; http only to this machine itself';
  }
  if (url.username !== '' || url.password !== '') {
    return 'a URL without a name and a password in it: "username" and "password" of the user hold these';
  }
  return /[?#]/.test(server ?? '') ? 'a URL without "?" and "#"' : undefined;
}

function isProxy(value: string): boolean {
  return ['http:', 'https:', 'socks5:', 'socks5h:'].includes(urlOf(value)?.protocol ?? '');
}

function urlOf(value: string | undefined): URL | undefined {
  return value !== undefined && URL.canParse(value) ? new URL(value) : undefined;
}
