import * as path from 'node:path';
import { LineCounter, parseDocument } from 'yaml';
import type { Problems, Untyped } from '../problems';
import { isMapping } from '../problems';

/** One named entry of a kubeconfig, with the folder that its paths start from. */
export interface KubeconfigEntry {
  readonly fields: Untyped;
  /** @default - none: the kubeconfig is no file */
  readonly folder?: string;
}

/** One kubeconfig, or several that were merged. */
export interface Kubeconfig {
  readonly currentContext?: string;
  readonly contexts: ReadonlyMap<string, KubeconfigEntry>;
  readonly clusters: ReadonlyMap<string, KubeconfigEntry>;
  readonly users: ReadonlyMap<string, KubeconfigEntry>;
}

/**
 * Reads a kubeconfig, which is YAML or JSON. The text holds credentials, so that problems show nothing of it.
 *
 * @param source what it is, for problems: a path, or `kubeconfigText`
 * @param folder where relative paths start
 */
export function readKubeconfig(
  text: string,
  source: string,
  problems: Problems,
  folder?: string,
): Kubeconfig | undefined {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    problems.addSecret(source, `YAML or JSON; line ${line}, column ${col} is neither (${error.code})`);
    return undefined;
  }
  const content: unknown = document.toJS();
  if (!isMapping(content)) {
    problems.addSecret(source, 'a kubeconfig: an object with "clusters", "contexts" and "users"');
    return undefined;
  }
  const currentContext = content['current-context'];
  return {
    ...(typeof currentContext === 'string' && currentContext !== '' ? { currentContext } : {}),
    contexts: named(content.contexts, 'context', folder),
    clusters: named(content.clusters, 'cluster', folder),
    users: named(content.users, 'user', folder),
  };
}

/** Merges as kubectl does: what the first file says of a name stands. */
export function mergeKubeconfigs(all: readonly Kubeconfig[]): Kubeconfig {
  const currentContext = all.find((one) => one.currentContext !== undefined)?.currentContext;
  const merged = (part: 'contexts' | 'clusters' | 'users'): ReadonlyMap<string, KubeconfigEntry> =>
    new Map([...all].reverse().flatMap((one) => [...one[part]]));
  return {
    ...(currentContext === undefined ? {} : { currentContext }),
    contexts: merged('contexts'),
    clusters: merged('clusters'),
    users: merged('users'),
  };
}

/** A path of an entry, from the folder of the file that it stands in. */
export function absolutePath(entry: KubeconfigEntry, file: string): string {
  return entry.folder === undefined ? path.resolve(file) : path.resolve(entry.folder, file);
}

/** Entries without a name, or without what they are for, can't be referred to. */
function named(list: unknown, what: string, folder: string | undefined): Map<string, KubeconfigEntry> {
  const entries = new Map<string, KubeconfigEntry>();
  for (const each of Array.isArray(list) ? (list as unknown[]) : []) {
    if (isMapping(each) && typeof each.name === 'string' && !entries.has(each.name)) {
      const fields = each[what];
      entries.set(each.name, {
        fields: isMapping(fields) ? fields : {},
        ...(folder === undefined ? {} : { folder }),
      });
    }
  }
  return entries;
}
