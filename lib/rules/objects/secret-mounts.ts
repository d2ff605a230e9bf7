import type { Field } from '../field';
import { NamespacedMap } from '../namespaced-map';
import type { ObjectIndex } from '../object-index';
import type { Container, Workload } from './workloads';
import { workloads } from './workloads';

/** A use of a Secret by pods. */
export interface SecretUse {
  /** The object whose pods use it. */
  readonly workload: Workload;
  /** Name of the Secret. */
  readonly secret: string;
  /**
   * - `directory`: mounted as a whole, so the files follow the Secret
   * - `subPath`: mounted file by file, so they never change in a running pod
   * - `env`: read into the environment, which never changes in a running process
   * - `volume`: a volume that no container mounts
   */
  readonly by: 'directory' | 'subPath' | 'env' | 'volume';
  /** The mount, the variable, or the volume. */
  readonly field: Field;
  /** The container that uses it. @default - of no container: a volume that none mounts */
  readonly container?: Container;
  /** Where it is mounted. @default - it is not */
  readonly path?: string;
  /** Key of the Secret. @default - all of them */
  readonly key?: string;
}

/**
 * How pods use a Secret: by volumes, projected ones included, and by the environment.
 *
 * @param namespace that of the pods, since a pod can't use a Secret of another one
 */
export function usesOfSecret(
  objects: ObjectIndex,
  namespace: string | undefined,
  secret: string,
): readonly SecretUse[] {
  return objects.view(secretUses).get(namespace, secret);
}

function secretUses(objects: ObjectIndex): NamespacedMap<SecretUse> {
  const found = new NamespacedMap<SecretUse>();
  for (const workload of objects.view(workloads).all) {
    for (const use of [...volumeUses(workload), ...environmentUses(workload)]) {
      found.add(workload.object.namespace, use.secret, use);
    }
  }
  return found;
}

function volumeUses(workload: Workload): SecretUse[] {
  return workload.volumes.flatMap((volume) => {
    const name = volume.get('name').text;
    const mounts = workload.containers.flatMap((container) =>
      container.field
        .get('volumeMounts')
        .items.filter((mount) => name !== undefined && mount.get('name').text === name)
        .map((field) => ({ container, field })),
    );
    return secretsOf(volume).flatMap((secret): SecretUse[] =>
      mounts.length === 0
        ? [{ workload, secret, by: 'volume', field: volume }]
        : mounts.map(({ container, field }) => ({
            workload,
            secret,
            by: field.get('subPath').exists || field.get('subPathExpr').exists ? 'subPath' : 'directory',
            field,
            container,
            path: field.get('mountPath').text ?? '',
          })),
    );
  });
}

function secretsOf(volume: Field): string[] {
  const projected = volume.get('projected', 'sources').items.map((source) => source.get('secret', 'name'));
  return [volume.get('secret', 'secretName'), ...projected].flatMap(({ text }) => text ?? []);
}

function environmentUses(workload: Workload): SecretUse[] {
  return workload.containers.flatMap((container) => {
    const variables = container.field.get('env').items.map((variable) => ({
      field: variable,
      reference: variable.get('valueFrom', 'secretKeyRef'),
    }));
    const all = container.field
      .get('envFrom')
      .items.map((each) => ({ field: each, reference: each.get('secretRef') }));
    return [...variables, ...all].flatMap(({ field, reference }): SecretUse[] => {
      const [secret, key] = [reference.get('name').text, reference.get('key').text];
      return secret === undefined
        ? []
        : [{ workload, secret, by: 'env', field, container, ...(key === undefined ? {} : { key }) }];
    });
  });
}
