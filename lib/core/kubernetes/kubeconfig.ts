import * as path from 'node:path';
import { isPlainObject } from '../validation/problems';
import type { Problems, PlainObject } from '../validation/problems';
import { plainYaml, readYaml } from '../validation/yaml';
import type { YamlReading } from '../validation/yaml';

/**
 * The fields of one part of a kubeconfig. A value of another type is a problem, as it is for kubectl; so is a field that
 * nobody here knows, since a misspelt "as-groups" would leave the caller more rights than it is to have. Null is nothing, and
 * so is an empty text.
 */
export class KubeconfigFields {
  private readonly asked = new Set<string>(['extensions']);

  /** @param path of the part, for problems */
  public constructor(
    private readonly fields: PlainObject,
    public readonly path: string,
    public readonly problems: Problems,
  ) {}

  /** Any value; undefined where the field is null. */
  public value(field: string): unknown {
    this.asked.add(field);
    return (Object.hasOwn(this.fields, field) ? this.fields[field] : undefined) ?? undefined;
  }

  /** A text in one line: control characters have no place in a header or a path. */
  public text(field: string): string | undefined {
    const value = this.value(field);
    if (value === undefined || value === '') {
      return undefined;
    }
    if (!isPlainText(value)) {
      // Numbers and texts of other fields may be passwords that were put here by mistake.
      this.problems.addSecret(`${this.path}.${field}`, 'a text without control characters');
      return undefined;
    }
    return value;
  }

  public flag(field: string): boolean {
    const value = this.value(field);
    if (value !== undefined && typeof value !== 'boolean') {
      this.problems.addSecret(`${this.path}.${field}`, 'true or false, without quotes');
    }
    return value === true;
  }

  public texts(field: string): readonly string[] {
    return this.textsThat(field, isPlainText, 'a list of texts without control characters');
  }

  /** Arguments of a program: a script may be one of them, with its line breaks. */
  public programArguments(field: string): readonly string[] {
    return this.textsThat(field, isArgument, 'a list of texts without NUL characters');
  }

  private textsThat(
    field: string,
    accepts: (value: unknown) => value is string,
    allowed: string,
  ): readonly string[] {
    const value = this.value(field);
    if (value === undefined) {
      return [];
    }
    if (Array.isArray(value) && value.every(accepts)) {
      return value;
    }
    this.problems.addSecret(`${this.path}.${field}`, allowed);
    return [];
  }

  public part(field: string): KubeconfigFields | undefined {
    const value = this.value(field);
    if (value === undefined) {
      return undefined;
    }
    if (!isPlainObject(value)) {
      this.problems.addSecret(`${this.path}.${field}`, 'an object');
      return undefined;
    }
    return new KubeconfigFields(value, `${this.path}.${field}`, this.problems);
  }

  /** Tells of the fields that were not asked for; the last call. */
  public refuseOthers(): void {
    const known = [...this.asked].sort();
    for (const field of Object.keys(this.fields).filter((each) => !this.asked.has(each))) {
      this.problems.addSecret(`${this.path}.${shortName(field)}`, `left out, or one of ${known.join(', ')}`);
    }
  }
}

/** A name as messages show it. */
export function shortName(name: string): string {
  return name.length > 80 ? `${name.slice(0, 79)}…` : name;
}

function isArgument(value: unknown): value is string {
  return typeof value === 'string' && !value.includes('\0');
}

function isPlainText(value: unknown): value is string {
  return typeof value === 'string' && !/\p{Cc}/u.test(value);
}

/** One named entry of a kubeconfig, with the folder that its paths start from. */
export interface KubeconfigEntry {
  readonly fields: PlainObject;
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
  if (!isPlainObject(content)) {
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
  const content = plainYaml(document);
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
    if (!isPlainObject(each)) {
      problems.addSecret(place, `an object with "name" and "${what}"`);
      return;
    }
    const { name, [what]: fields } = each;
    if (typeof name !== 'string' || name === '') {
      problems.addSecret(`${place}.name`, 'a text that is not empty; a number needs quotes');
    } else if (entries.has(name)) {
      problems.add(`${place}.name`, shortName(name), 'another name: this one stands in the list already');
    } else if (!isNothing(fields) && !isPlainObject(fields)) {
      problems.addSecret(`${place}.${what}`, 'an object');
    } else {
      if (isPlainObject(fields) && Object.hasOwn(fields, '<<')) {
        problems.addSecret(`${place}.${what}.<<`, 'written out: merge keys are not read here');
      }
      entries.set(name, {
        fields: isPlainObject(fields) ? fields : {},
        ...(folder === undefined ? {} : { folder }),
      });
    }
  });
  return entries;
}

function isNothing(value: unknown): boolean {
  return value === undefined || value === null;
}

/** How one API server is reached and who asks it: one context of a kubeconfig, with paths made absolute. */
export interface KubeconfigConnection {
  /** `https://HOST:PORT` */
  readonly server: string;
  /** Certificate authorities of the server. @default - those that this machine trusts */
  readonly certificateAuthority?: TextOrFile;
  /** Name that the server's certificate has to carry. @default - the server's host */
  readonly serverName?: string;
  /** Whether any certificate will do. @default false */
  readonly insecure?: boolean;
  /** `http:`, `https:` or `socks5:`. @default - HTTPS_PROXY, HTTP_PROXY and NO_PROXY of the environment */
  readonly proxyUrl?: string;
  /** Of objects that name none. @default 'default' */
  readonly namespace?: string;
  readonly user: ClusterUser;
}

/** Who asks. An empty one is anonymous. */
export interface ClusterUser {
  readonly token?: TextOrFile;
  readonly certificate?: TextOrFile;
  readonly key?: TextOrFile;
  readonly password?: { readonly username: string; readonly password: string };
  readonly exec?: ExecPlugin;
  /** Headers that ask the server to act as another user. */
  readonly impersonation?: Readonly<Record<string, string | readonly string[]>>;
}

/** Text that stands in the kubeconfig, or in a file that may change while a program runs. */
export type TextOrFile = { readonly text: string } | { readonly file: string };

/**
 * A program that hands out credentials.
 * @see https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins
 */
export interface ExecPlugin {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** What to tell a user who does not have the program. */
  readonly installHint?: string;
  /** Whether the program is told which cluster it is asked for. */
  readonly provideClusterInfo: boolean;
}
