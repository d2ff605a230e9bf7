import { isMapping } from '../problems';
import type { ClusterUser, ExecPlugin } from './cluster-access';
import type { KubeconfigEntry } from './kubeconfig';
import { absolutePath } from './kubeconfig';
import type { KubeconfigFields } from './kubeconfig-fields';
import { materialOf } from './kubeconfig-material';

/** What a user of a kubeconfig brings along. */
export function userOf(entry: KubeconfigEntry, fields: KubeconfigFields): ClusterUser {
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
    const { name, value = '' } = isMapping(each) ? each : {};
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
