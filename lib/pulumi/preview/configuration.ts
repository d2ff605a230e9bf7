import type { Problems } from '../../core/validation/problems';
import { secretPlaceholder } from './plan';

/** A stack's configuration as a program reads it: every value is text. */
export interface Configuration {
  /** Values by full key: `shop:replicas`. */
  readonly values: Readonly<Record<string, string>>;
  /** Keys whose values are secret. */
  readonly secretKeys: readonly string[];
}

/** Where configuration comes from. */
export interface ConfigurationSources {
  /** Name of the project: keys without a namespace belong to it. */
  readonly project: string;
  /** `config` of Pulumi.yaml: declarations with defaults. */
  readonly declared: unknown;
  /** `config` of the stack's file. */
  readonly stack: unknown;
  /** Values that win over both. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** Stand-ins for secret values, by key. */
  readonly secrets?: Readonly<Record<string, unknown>>;
}

/** How the sources are named in problems. */
export interface ConfigurationNames {
  readonly project: (key: string) => string;
  readonly stack: (key?: string) => string;
  readonly secrets: string;
}

interface Value {
  readonly text: string;
  readonly secret: boolean;
}

/**
 * Joins the sources as Pulumi does: a value of the stack wins over the project's default, and a key that the
 * project declares without a default must have a value. Encrypted values are never decrypted: a program sees
 * `[secret]`, or the stand-in.
 * @see https://github.com/pulumi/pulumi/blob/master/sdk/go/common/workspace/config.go
 */
export function joinConfiguration(
  sources: ConfigurationSources,
  names: ConfigurationNames,
  problems: Problems,
): Configuration {
  const found = new Map<string, Value>();
  const full = (key: string) => fullKey(sources.project, key);
  for (const [key, raw] of entries(sources.stack, () => problems.addAll([notAMap(names.stack())]))) {
    found.set(full(key), stackValue(raw));
  }
  for (const [key, value] of Object.entries(sources.overrides ?? {})) {
    found.set(full(key), { text: asText(value), secret: false });
  }
  for (const [key, raw] of entries(sources.declared, () => problems.addAll([notAMap(names.project(''))]))) {
    const declared = declaration(raw);
    if (found.has(full(key))) {
      continue;
    }
    if (declared.value !== undefined && declared.value !== null) {
      found.set(full(key), { text: asText(declared.value), secret: declared.secret });
    } else if (full(key).startsWith(`${sources.project}:`)) {
      problems.addAll([
        {
          path: names.stack(),
          allowed: `a file that sets ${full(key)}, which ${names.project(key)} declares`,
        },
      ]);
    }
  }
  for (const [key, value] of Object.entries(sources.secrets ?? {})) {
    if (found.get(full(key))?.secret !== true) {
      problems.addAll([
        { path: `${names.secrets}.${key}`, allowed: 'the key of a secret configuration value' },
      ]);
    }
    found.set(full(key), { text: asText(value), secret: true });
  }
  return {
    values: Object.fromEntries([...found].map(([key, { text }]) => [key, text])),
    secretKeys: [...found].filter(([, { secret }]) => secret).map(([key]) => key),
  };
}

function notAMap(path: string): { path: string; allowed: string } {
  return { path, allowed: 'a map of configuration keys' };
}

function entries(value: unknown, otherwise: () => void): [string, unknown][] {
  if (value === undefined || value === null) {
    return [];
  }
  if (typeof value !== 'object' || Array.isArray(value)) {
    otherwise();
    return [];
  }
  return Object.entries(value);
}

/** `replicas`, `shop:replicas` and the old `shop:config:replicas` are one key. */
function fullKey(project: string, key: string): string {
  const [namespace, ...rest] = key.split(':');
  if (rest.length === 0) {
    return `${project}:${key}`;
  }
  return rest[0] === 'config' && rest.length > 1 ? `${namespace}:${rest.slice(1).join(':')}` : key;
}

/** A declaration is a map with these words, or a plain value, which is then the default. */
function declaration(raw: unknown): { value: unknown; secret: boolean } {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    return { value: raw, secret: false };
  }
  const { default: fallback, value, secret } = raw as Record<string, unknown>;
  return { value: fallback ?? value, secret: secret === true };
}

function stackValue(raw: unknown): Value {
  let secret = false;
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) {
      return value.map(plain);
    }
    if (typeof value !== 'object' || value === null) {
      return value;
    }
    const keys = Object.keys(value);
    if (keys.length === 1 && typeof (value as { secure?: unknown }).secure === 'string') {
      secret = true;
      return secretPlaceholder;
    }
    return Object.fromEntries(Object.entries(value).map(([key, below]) => [key, plain(below)]));
  };
  return { text: asText(plain(raw)), secret };
}

function asText(value: unknown): string {
  if (value === undefined || value === null) {
    return '';
  }
  return typeof value === 'string' ? value : JSON.stringify(value);
}
