import { isPlainObject } from '../validation/problems';
import type { Problems } from '../validation/problems';
import { KubeconfigFields, absolutePath, shortName } from './kubeconfig';
import type {
  KubeconfigConnection,
  ClusterUser,
  ExecPlugin,
  Kubeconfig,
  KubeconfigEntry,
  TextOrFile,
} from './kubeconfig';

/** PEM in base64 under `FIELD-data`, or a path under `FIELD`; the data comes first, as for kubectl. */
function materialOf(entry: KubeconfigEntry, fields: KubeconfigFields, field: string): TextOrFile | undefined {
  const data = fields.value(`${field}-data`);
  const file = fields.text(field);
  if (data !== undefined && data !== '') {
    const text = typeof data === 'string' ? pemIn(data) : undefined;
    if (text === undefined) {
      fields.problems.addSecret(`${fields.path}.${field}-data`, 'PEM in base64');
    }
    return { text: text ?? '' };
  }
  return file === undefined ? undefined : { file: absolutePath(entry, file) };
}

/** Line breaks may stand in base64, as for Go; whatever else does not belong there is no base64. */
function pemIn(data: string): string | undefined {
  const base64 = data.replace(/[\r\n]/g, '');
  const text = Buffer.from(base64, 'base64').toString('utf8');
  return /^[A-Za-z0-9+/]+={0,2}$/.test(base64) && base64.length % 4 === 0 && text.includes('-----BEGIN ')
    ? text
    : undefined;
}

/** What a user of a kubeconfig brings along. */
function userOf(entry: KubeconfigEntry, fields: KubeconfigFields): ClusterUser {
  const { path, problems } = fields;
  if (fields.value('auth-provider') !== undefined) {
    problems.addSecret(
      `${path}.auth-provider`,
      'left out: kubectl has no cloud providers any more; an "exec" plugin takes its place',
    );
  }
  for (const field of ['as-uid', 'as-user-extra']) {
    if (fields.value(field) !== undefined) {
      problems.addSecret(
        `${path}.${field}`,
        'left out: of impersonation, only "as" and "as-groups" are understood',
      );
    }
  }
  const certificate = materialOf(entry, fields, 'client-certificate');
  const key = materialOf(entry, fields, 'client-key');
  if ((certificate === undefined) !== (key === undefined)) {
    problems.addSecret(path, 'both or none of "client-certificate" and "client-key"');
  }
  const token = tokenOf(entry, fields);
  const exec = fields.part('exec');
  const plugin = exec && execOf(entry, exec);
  const password = passwordOf(fields);
  const impersonation = impersonationOf(fields);
  fields.refuseOthers();
  return {
    ...(token ? { token } : {}),
    ...(certificate && key ? { certificate, key } : {}),
    ...(plugin ? { exec: plugin } : {}),
    ...(password ? { password } : {}),
    ...(impersonation ? { impersonation } : {}),
  };
}

/** A file with a token wins over a token, as for kubectl. */
function tokenOf(entry: KubeconfigEntry, fields: KubeconfigFields): ClusterUser['token'] {
  const [file, text] = [fields.text('tokenFile'), fields.text('token')];
  if (file !== undefined) {
    return { file: absolutePath(entry, file) };
  }
  return text === undefined ? undefined : { text };
}

function passwordOf(fields: KubeconfigFields): ClusterUser['password'] {
  const [username, password] = [fields.text('username'), fields.text('password')];
  if (username === undefined && password !== undefined) {
    fields.problems.addSecret(`${fields.path}.username`, 'set where "password" is');
  }
  return username === undefined ? undefined : { username, password: password ?? '' };
}

/** Without the user that they are groups of, kubectl refuses them: the caller would act with all of its own rights. */
function impersonationOf(fields: KubeconfigFields): ClusterUser['impersonation'] {
  const [user, groups] = [fields.text('as'), fields.texts('as-groups')];
  if (user === undefined) {
    if (groups.length > 0) {
      fields.problems.addSecret(`${fields.path}.as`, 'set where "as-groups" is, as for kubectl');
    }
    return undefined;
  }
  return { 'impersonate-user': user, ...(groups.length > 0 ? { 'impersonate-group': groups } : {}) };
}

const execVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

function execOf(entry: KubeconfigEntry, exec: KubeconfigFields): ExecPlugin | undefined {
  const { path, problems } = exec;
  const apiVersion = exec.text('apiVersion');
  if (apiVersion === undefined || !execVersions.includes(apiVersion)) {
    problems.add(`${path}.apiVersion`, apiVersion, `one of ${execVersions.join(', ')}`);
  }
  const interactiveMode = exec.text('interactiveMode');
  if (interactiveMode !== undefined && !['IfAvailable', 'Never'].includes(interactiveMode)) {
    problems.add(
      `${path}.interactiveMode`,
      interactiveMode,
      '"IfAvailable" or "Never": nobody is there to ask',
    );
  }
  const command = exec.text('command');
  const [args, env, installHint] = [
    exec.programArguments('args'),
    environmentOf(exec),
    exec.value('installHint'),
  ];
  const provideClusterInfo = exec.flag('provideClusterInfo');
  exec.refuseOthers();
  if (command === undefined) {
    problems.addSecret(`${path}.command`, 'the name or path of a program');
    return undefined;
  }
  return {
    apiVersion: String(apiVersion),
    // A name is looked up in PATH, a path starts where the kubeconfig is.
    command: command.includes('/') ? absolutePath(entry, command) : command,
    args,
    env,
    ...(typeof installHint === 'string' ? { installHint } : {}),
    provideClusterInfo,
  };
}

function environmentOf(exec: KubeconfigFields): Readonly<Record<string, string>> {
  const given = exec.value('env') ?? [];
  const pairs = (Array.isArray(given) ? (given as unknown[]) : [undefined]).map((each) => {
    const { name, value = '' } = isPlainObject(each) ? each : {};
    const fits =
      typeof name === 'string' &&
      typeof value === 'string' &&
      /^[^=\0]+$/.test(name) &&
      !value.includes('\0');
    return fits ? ([name, value] as const) : undefined;
  });
  if (pairs.includes(undefined)) {
    exec.problems.addSecret(`${exec.path}.env`, 'a list of objects with the texts "name" and "value"');
  }
  return Object.fromEntries(pairs.filter((each) => each !== undefined));
}

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
): KubeconfigConnection | undefined {
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

function clusterOf(entry: KubeconfigEntry, fields: KubeconfigFields): Omit<KubeconfigConnection, 'user'> {
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
