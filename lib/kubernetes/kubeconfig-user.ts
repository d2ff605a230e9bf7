import type { Problems, Untyped } from '../problems';
import { isMapping } from '../problems';
import type { ClusterUser, ExecPlugin } from './cluster-access';
import type { KubeconfigEntry } from './kubeconfig';
import { absolutePath } from './kubeconfig';
import { materialOf } from './kubeconfig-material';

/** What a user of a kubeconfig brings along. */
export function userOf(entry: KubeconfigEntry, path: string, problems: Problems): ClusterUser {
  const { fields } = entry;
  if (fields['auth-provider'] !== undefined && fields['auth-provider'] !== null) {
    problems.addSecret(
      `${path}.auth-provider`,
      'left out: kubectl has no cloud providers any more; an "exec" plugin takes its place',
    );
  }
  for (const field of ['as-uid', 'as-user-extra']) {
    if (fields[field] !== undefined) {
      problems.addSecret(
        `${path}.${field}`,
        'left out: of impersonation, only "as" and "as-groups" are understood',
      );
    }
  }
  const certificate = materialOf(entry, 'client-certificate', `${path}.client-certificate`, problems);
  const key = materialOf(entry, 'client-key', `${path}.client-key`, problems);
  if ((certificate === undefined) !== (key === undefined)) {
    problems.addSecret(path, 'both or none of "client-certificate" and "client-key"');
  }
  const token = tokenOf(entry);
  const exec = isMapping(fields.exec) ? execOf(entry, fields.exec, `${path}.exec`, problems) : undefined;
  return {
    ...(token ? { token } : {}),
    ...(certificate && key ? { certificate, key } : {}),
    ...(exec ? { exec } : {}),
    ...(typeof fields.username === 'string' && typeof fields.password === 'string'
      ? { password: { username: fields.username, password: fields.password } }
      : {}),
    ...impersonationOf(entry),
  };
}

/** A file with a token wins over a token, as for kubectl. */
function tokenOf(entry: KubeconfigEntry): ClusterUser['token'] {
  const { tokenFile, token } = entry.fields;
  if (typeof tokenFile === 'string' && tokenFile !== '') {
    return { file: absolutePath(entry, tokenFile) };
  }
  return typeof token === 'string' && token !== '' ? { text: token } : undefined;
}

function impersonationOf({ fields }: KubeconfigEntry): Pick<ClusterUser, 'impersonation'> {
  const groups: unknown = fields['as-groups'];
  if (typeof fields.as !== 'string' || fields.as === '') {
    return {};
  }
  return {
    impersonation: {
      'impersonate-user': fields.as,
      ...(Array.isArray(groups) && groups.length > 0 ? { 'impersonate-group': groups.map(String) } : {}),
    },
  };
}

const execVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

function execOf(
  entry: KubeconfigEntry,
  exec: Untyped,
  path: string,
  problems: Problems,
): ExecPlugin | undefined {
  const { apiVersion, command, args, env, installHint, interactiveMode, provideClusterInfo } = exec;
  if (typeof apiVersion !== 'string' || !execVersions.includes(apiVersion)) {
    problems.add(`${path}.apiVersion`, apiVersion, `one of ${execVersions.join(', ')}`);
  }
  if (interactiveMode === 'Always') {
    problems.add(
      `${path}.interactiveMode`,
      interactiveMode,
      '"IfAvailable" or "Never": nobody is there to ask',
    );
  }
  if (typeof command !== 'string' || command === '') {
    problems.add(`${path}.command`, command, 'the name or path of a program');
    return undefined;
  }
  const pairs: [string, string][] = [];
  for (const each of Array.isArray(env) ? (env as unknown[]) : []) {
    if (isMapping(each) && typeof each.name === 'string' && typeof each.value === 'string') {
      pairs.push([each.name, each.value]);
    }
  }
  return {
    apiVersion: String(apiVersion),
    // A name is looked up in PATH, a path starts where the kubeconfig is.
    command: command.includes('/') ? absolutePath(entry, command) : command,
    args: Array.isArray(args) ? args.map(String) : [],
    env: Object.fromEntries(pairs),
    ...(typeof installHint === 'string' ? { installHint } : {}),
    provideClusterInfo: provideClusterInfo === true,
  };
}
