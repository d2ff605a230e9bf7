import { servingCertificates } from '../../objects/serving-certificates';
import type { CalledService } from '../../objects/called-service';
import type { SecretUse } from '../../objects/secret-mounts';
import { usesOfSecret } from '../../objects/secret-mounts';
import type { CaSource } from '../../objects/trusting-objects';
import { servicesOf } from '../../objects/trusting-objects';
import { workloadsBehind } from '../../objects/workloads';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding } from '../../rule';
import { trustRule } from './trust-rule';

/** @see https://kubernetes.io/docs/concepts/storage/volumes/#secret */
export const tls09 = trustRule({
  id: 'TLS09',
  severity: 'error',
  title: 'A serving certificate that running pods never see renewed',
  why: 'a subPath mount and an environment variable stay as they were when the pod started: it serves the old certificate until that expires, and then every call fails',
  fix: 'mount the Secret as a directory, without subPath, and let the server read the files again when they change',
  *judge({ objects }, trusting) {
    for (const service of servicesOf(trusting)) {
      yield* judgeService(objects, service, trusting.sources[0]);
    }
  },
});

function* judgeService(
  objects: ObjectIndex,
  service: CalledService,
  source: CaSource | undefined,
): Iterable<RawFinding> {
  const { issued, literal } = servingCertificates(objects, service, source);
  const secrets = [
    ...issued.flatMap(({ object, secretName }) =>
      secretName === undefined ? [] : [{ object, name: secretName }],
    ),
    ...literal.map(({ object }) => ({ object, name: object.name })),
  ];
  const behind = workloadsBehind(objects, service) ?? [];
  for (const { object, name } of secrets) {
    for (const use of usesOfSecret(objects, object.namespace ?? service.namespace, name)) {
      const serves = behind.length === 0 || behind.includes(use.workload);
      if (serves && staysAsItWas(use)) {
        yield {
          object: use.workload.object,
          pointer: use.field.pointer,
          message: `container ${use.container?.name ?? ''} gets the Secret ${name} ${
            use.by === 'env' ? 'by its environment' : 'by a subPath mount'
          }`,
        };
      }
    }
  }
}

function staysAsItWas({ by, container, field, key }: SecretUse): boolean {
  if (by !== 'subPath' && by !== 'env') {
    return false;
  }
  // It ends before the certificate does.
  const isShort = container?.init === true && container.field.get('restartPolicy').text !== 'Always';
  return !isShort && (key ?? field.get('subPath').text) !== 'ca.crt';
}
