import type { KubernetesObject } from '../kubernetes';

/** An Application of Argo CD, as far as the check reads it. */
export interface Application {
  readonly name: string;
  /** The ApplicationSet that made it. */
  readonly set?: string;
  /** @default - `default`, as Argo CD takes it */
  readonly project?: string;
  readonly destination: { readonly name?: string; readonly server?: string };
  /** `Synced`, `OutOfSync`, `Unknown`; unset where Argo CD has not looked at it yet. */
  readonly sync?: string;
  /** `Healthy`, `Progressing`, `Degraded`, `Suspended`, `Missing`, `Unknown` */
  readonly health?: string;
  /** How the last sync ended: `Succeeded`, `Failed`, `Error`; or `Running`, `Terminating`. */
  readonly phase?: string;
}

/** Reads Applications; those that are being deleted are left out. */
export function applicationsOf(objects: readonly KubernetesObject[]): readonly Application[] {
  return objects.filter(({ metadata }) => metadata.deletionTimestamp === undefined).map(applicationOf);
}

/** Whether it runs well, at another revision than it is to have. */
export function isOnlyBehind({ sync, health }: Application): boolean {
  return sync === 'OutOfSync' && health === 'Healthy';
}

function applicationOf(object: KubernetesObject): Application {
  const { metadata } = object;
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === 'ApplicationSet');
  return {
    name: metadata.name,
    ...optional('set', owner?.name),
    ...optional('project', textAt(object, 'spec', 'project')),
    destination: {
      ...optional('name', textAt(object, 'spec', 'destination', 'name')),
      ...optional('server', textAt(object, 'spec', 'destination', 'server')),
    },
    ...optional('sync', textAt(object, 'status', 'sync', 'status')),
    ...optional('health', textAt(object, 'status', 'health', 'status')),
    ...optional('phase', textAt(object, 'status', 'operationState', 'phase')),
  };
}

/** Text at a path; undefined where there is none, or an empty one. */
function textAt(object: unknown, ...path: readonly string[]): string | undefined {
  const value = path.reduce<unknown>(
    (each, field) =>
      typeof each === 'object' && each !== null ? (each as Record<string, unknown>)[field] : undefined,
    object,
  );
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function optional<Key extends string>(key: Key, value: string | undefined): { readonly [K in Key]?: string } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [K in Key]?: string };
}
