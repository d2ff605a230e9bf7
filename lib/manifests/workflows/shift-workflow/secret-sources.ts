import type { Objections } from '../../../core/validation/collections';
import { isPlainObject } from '../../../core/validation/problems';
import { pathText } from '../../../core/validation/schema';
import type { PathSteps } from '../../../core/validation/schema';

/** Where a plan reads its secrets from, each with the first place that names it. */
export interface SecretSources {
  /** Environment variables by name. */
  readonly variables: ReadonlyMap<string, string>;
  /** Files by path. */
  readonly files: ReadonlyMap<string, PathSteps>;
}

/**
 * What a plan reads secrets from: previews (`headers: { x-slot: { env: PREVIEW_VALUE_GREEN } }`), tokens and passwords of checks,
 * of sinks and of approvals. In plans a mapping with a name as `env`, or a path as `file`, and nothing else is always one.
 */
export function secretSources(plan: unknown): SecretSources {
  const variables = new Map<string, string>();
  const files = new Map<string, PathSteps>();
  // Data of a program may name one object twice, or contain itself.
  const seen = new Set<unknown>();
  const left: [PathSteps, unknown][] = [[[], plan]];
  while (left.length > 0) {
    const [steps, value] = left.pop()!;
    if (typeof value !== 'object' || value === null || seen.has(value)) {
      continue;
    }
    seen.add(value);
    const { env, file } = onlyKeyOf(value);
    if (env !== undefined) {
      variables.set(env, variables.get(env) ?? pathText(steps));
      continue;
    }
    if (file !== undefined) {
      files.set(file, files.get(file) ?? [...steps, 'file']);
      continue;
    }
    const parts: [PathSteps, unknown][] = Array.isArray(value)
      ? value.map((each: unknown, index) => [[...steps, index], each])
      : Object.entries(value).map(([key, each]) => [[...steps, key], each]);
    // The last one that is put there is the first one to be looked at.
    for (const part of parts.reverse()) {
      left.push(part);
    }
  }
  return { variables, files };
}

function onlyKeyOf(value: object): { readonly env?: string; readonly file?: string } {
  const [entry, ...others] = isPlainObject(value) ? Object.entries(value) : [];
  const [key, text] = entry ?? [];
  return others.length === 0 && typeof text === 'string' && (key === 'env' || key === 'file')
    ? { [key]: text }
    : {};
}

/** What Kubernetes and EKS mount by themselves: tokens of the service account. */
const mountedByThemselves = '/var/run/secrets';

/** Whether a pod with these folders has a file; a path that does not start at the root is nowhere. */
export function isMounted(file: string, folders: readonly string[]): boolean {
  const isPlain = !file.split('/').some((part) => part === '.' || part === '..');
  return (
    isPlain &&
    [mountedByThemselves, ...folders].some((folder) => file.startsWith(`${folder.replace(/\/+$/, '')}/`))
  );
}

/** What a file may be, where the pods do not have it. */
function fileAllowed(file: string, folders: readonly string[]): string {
  const known = folders.length > 0 ? ` (${folders.join(', ')})` : ', which has none';
  // What is no path may be the secret itself.
  const shown = /^(\/[\w.-]+){2,}$/.test(file) ? `; no volume of the pods has ${file}` : '';
  return `the path of a file in a folder of "secretFolders"${known}, or { env } with its Secret in "secrets"${shown}`;
}

/** What a pod gets, as props that may be wrong themselves. */
export interface PodSecrets {
  readonly env?: unknown;
  readonly secrets?: unknown;
  readonly containerArgs?: unknown;
  /** What is mounted by the path of the folder, of each kind. */
  readonly folders: readonly unknown[];
}

/** Refuses settings that read a secret which the pod does not have; what is laid over our container is not known. */
export function requireSecrets(
  settings: readonly { readonly at: PathSteps; readonly value: unknown }[],
  { env, secrets, containerArgs, folders }: PodSecrets,
  rules: Objections,
): void {
  const knowsVariables = !has(containerArgs, 'env') && !has(containerArgs, 'envFrom');
  const knowsFiles = !has(containerArgs, 'volumeMounts');
  const mounted = folders.flatMap((each) => (isPlainObject(each) ? Object.keys(each) : []));
  const told = new Set<string>();
  for (const { at, value } of settings) {
    const { variables, files } = secretSources(value);
    for (const [name, place] of knowsVariables ? variables : []) {
      if (!has(secrets, name) && !told.has(name)) {
        told.add(name);
        const steps = ['secrets', name];
        const read = `${pathText(at)}${place && `.${place}`} reads it`;
        rules.add({
          ...{ steps, path: pathText(steps), kind: 'required' },
          allowed: has(env, name)
            ? `{ secret, key } in place of a text in "env", since ${read}`
            : `the Secret and the key with its value, { secret, key }, since ${read}`,
        });
      }
    }
    for (const [file, steps] of knowsFiles ? files : []) {
      if (!isMounted(file, mounted)) {
        rules.mustBeSecretly([...at, ...steps], fileAllowed(file, mounted));
      }
    }
  }
}

function has(fields: unknown, name: string): boolean {
  return isPlainObject(fields) && Object.hasOwn(fields, name);
}
