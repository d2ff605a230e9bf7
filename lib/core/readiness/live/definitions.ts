import type { KubernetesObject } from '../../kubernetes/api';
import { counted } from '../words';
import { list, mapping, text } from './fields';
import type { Read, LiveReader } from './reader';

/** What matters of a custom resource definition. */
export interface Definition {
  /** `widgets.example.com` */
  readonly name: string;
  readonly group: string;
  readonly kind: string;
  readonly versions: readonly DefinedVersion[];
  /** Versions in which objects may be stored. */
  readonly storedVersions: readonly string[];
  /** The Service of its conversion webhook. @default - none converts, or it is behind a URL */
  readonly converter?: { readonly namespace: string; readonly name: string };
}

/** One version of it. */
export interface DefinedVersion {
  readonly name: string;
  readonly served: boolean;
  readonly deprecated: boolean;
}

const definitionKind = { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition' } as const;

/**
 * Reads the custom resource definitions of a cluster, one by one: their schemas have megabytes, and stay for no longer than
 * one is read.
 */
export async function readDefinitions(reader: LiveReader): Promise<Read<readonly Definition[] | undefined>> {
  const { value: names, untried } = await reader.metadata(definitionKind, ({ metadata }) => metadata.name);
  if (names === undefined) {
    return { value: undefined, untried };
  }
  const reads = await Promise.all(
    names.map(async (name) => {
      const { value, untried: failed } = await reader.get(`CustomResourceDefinition ${name}`, {
        ...definitionKind,
        metadata: { name },
      });
      return {
        untried: failed,
        found: value === undefined || value === 'missing' ? undefined : definitionOf(value),
      };
    }),
  );
  return {
    value: reads.flatMap(({ found }) => found ?? []),
    untried: [...untried, ...reads.flatMap((each) => each.untried)],
  };
}

/** Reads one of them. */
export function definitionOf({ metadata, spec, status }: KubernetesObject): Definition {
  const { group, names, versions, conversion } = mapping(spec);
  const { storedVersions } = mapping(status);
  const { service } = mapping(mapping(mapping(conversion).webhook).clientConfig);
  const { namespace, name } = mapping(service);
  return {
    name: metadata.name,
    group: text(group),
    kind: text(mapping(names).kind),
    versions: list(versions).map((each) => {
      const { name: version, served, deprecated } = mapping(each);
      return { name: text(version), served: served === true, deprecated: deprecated === true };
    }),
    storedVersions: list(storedVersions).map(text),
    ...(mapping(conversion).strategy === 'Webhook' && typeof name === 'string'
      ? { converter: { namespace: text(namespace), name } }
      : {}),
  };
}

/** `3 custom resource definitions` */
export function countedDefinitions(count: number): string {
  return counted(count, 'custom resource definition');
}
