import * as path from 'node:path';
import type { Problems, Untyped } from '../problems';
import { isMapping } from '../problems';
import { plainValue, readYaml } from '../reading';
import type { YamlReading } from '../reading';
import { shortName } from './kubeconfig-fields';

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
 * Reads a kubeconfig, which is YAML or JSON. The text holds credentials, so that problems show nothing of it but names.
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
  const content = contentOf(readYaml(text), source, problems);
  if (content === undefined) {
    return undefined;
  }
  if (!isMapping(content)) {
    problems.addSecret(source, 'a kubeconfig: an object with "clusters", "contexts" and "users"');
    return undefined;
  }
  for (const [field, wanted] of [
    ['apiVersion', 'v1'],
    ['kind', 'Config'],
  ] as const) {
    if (!isNothing(content[field]) && content[field] !== wanted) {
      problems.addSecret(`${source}.${field}`, `"${wanted}"`);
    }
  }
  const currentContext = content['current-context'];
  if (!isNothing(currentContext) && typeof currentContext !== 'string') {
    problems.addSecret(`${source}.current-context`, 'a text');
  }
  const entries = (field: string, what: string): Map<string, KubeconfigEntry> =>
    named(content[field], what, `${source}.${field}`, problems, folder);
  return {
    ...(typeof currentContext === 'string' && currentContext !== '' ? { currentContext } : {}),
    contexts: entries('contexts', 'context'),
    clusters: entries('clusters', 'cluster'),
    users: entries('users', 'user'),
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

/** Messages of the reader quote the text, so that its codes and this library's own words are shown. */
function contentOf(
  { document, lines, problems: found }: YamlReading,
  source: string,
  problems: Problems,
): unknown {
  const [first] = found;
  if (first) {
    const { line, col } = lines.linePos(first.offset);
    const own = first.code.startsWith('TOO_') ? `: ${first.message}` : '';
    problems.addSecret(
      source,
      `YAML or JSON without tags; line ${Math.max(line, 1)}, column ${Math.max(col, 1)} is not (${first.code}${own})`,
    );
    return undefined;
  }
  const content = plainValue(document);
  if ('reason' in content) {
    problems.addSecret(source, 'YAML or JSON whose aliases lead to an anchor, and are few and not nested');
    return undefined;
  }
  return content.value;
}

/** @see https://github.com/kubernetes/client-go/blob/v0.34.0/tools/clientcmd/api/v1/conversion.go */
function named(
  list: unknown,
  what: string,
  at: string,
  problems: Problems,
  folder: string | undefined,
): Map<string, KubeconfigEntry> {
  const entries = new Map<string, KubeconfigEntry>();
  if (!isNothing(list) && !Array.isArray(list)) {
    problems.addSecret(at, `a list of objects with "name" and "${what}"`);
  }
  (Array.isArray(list) ? (list as unknown[]) : []).forEach((each, position) => {
    const place = `${at}[${position}]`;
    if (!isMapping(each)) {
      problems.addSecret(place, `an object with "name" and "${what}"`);
      return;
    }
    const { name, [what]: fields } = each;
    if (typeof name !== 'string' || name === '') {
      problems.addSecret(`${place}.name`, 'a text that is not empty; a number needs quotes');
    } else if (entries.has(name)) {
      problems.add(`${place}.name`, shortName(name), 'another name: this one stands in the list already');
    } else if (!isNothing(fields) && !isMapping(fields)) {
      problems.addSecret(`${place}.${what}`, 'an object');
    } else {
      if (isMapping(fields) && Object.hasOwn(fields, '<<')) {
        problems.addSecret(`${place}.${what}.<<`, 'written out: merge keys are not read here');
      }
      entries.set(name, {
        fields: isMapping(fields) ? fields : {},
        ...(folder === undefined ? {} : { folder }),
      });
    }
  });
  return entries;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}
