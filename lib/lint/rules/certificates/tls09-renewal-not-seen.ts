import { Field } from '../../object';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding } from '../../rule';
import type { CalledServiceView } from '../../views/admission';
import { usesOfSecret } from '../../views/secrets';
import type { SecretUse } from '../../views/secrets';
import { servingCertificates } from '../../views/serving-certificates';
import { servicesOf } from '../../views/trust';
import type { CaSource } from '../../views/trust';
import { workloadsBehind } from '../../views/workloads';
import type { Workload } from '../../views/workloads';
import { trustRule } from './shared/trust-rule';

/** @see https://kubernetes.io/docs/concepts/storage/volumes/#secret */
export const tls09 = trustRule({
  id: 'TLS09',
  severity: 'error',
  title: 'A serving certificate that running pods never see renewed',
  why: 'a subPath mount and an environment variable stay as they were when the pod started: it serves the old certificate until that expires, and then every call fails',
  fix: 'mount the Secret as a directory, without subPath, and let the server read the files again when they change',
  otherwise:
    'an info where pods start again with a new Secret, by Reloader. For a Secret among the manifests also by a checksum in annotations of the pods, or by a name that comes from its content',
  *evaluate({ objects }, trusting) {
    for (const service of servicesOf(trusting)) {
      yield* evaluateService(objects, service, trusting.sources[0]);
    }
  },
});

function* evaluateService(
  objects: ObjectIndex,
  service: CalledServiceView,
  source: CaSource | undefined,
): Iterable<RawFinding> {
  const { issued, literal } = servingCertificates(objects, service, source);
  const secrets = [
    ...issued.flatMap(({ object, secretName }) =>
      secretName === undefined ? [] : [{ object, name: secretName, isLiteral: false }],
    ),
    ...literal.map(({ object }) => ({ object, name: object.name, isLiteral: true })),
  ];
  const behind = workloadsBehind(objects, service) ?? [];
  for (const { object, name, isLiteral } of secrets) {
    for (const use of usesOfSecret(objects, object.namespace ?? service.namespace, name)) {
      const serves = behind.length === 0 || behind.includes(use.workload);
      if (serves && staysAsItWas(use)) {
        const restarts = restartedBy(use.workload, name, isLiteral);
        yield {
          object: use.workload.object,
          pointer: use.field.pointer,
          ...(restarts === undefined ? {} : { severity: 'info' }),
          message: `container ${use.container?.name ?? ''} gets the Secret ${name} ${
            use.by === 'env' ? 'by its environment' : 'by a subPath mount'
          }${restarts === undefined ? '' : `; ${restarts}`}`,
        };
      }
    }
  }
}

/**
 * What starts pods anew when the Secret changes, in words: a tool in the cluster, whoever changes it; for what is in the
 * manifests, an annotation of the pods with a checksum, or the name that kustomize gives to each content.
 *
 * @see https://helm.sh/docs/howto/charts_tips_and_tricks/#automatically-roll-deployments
 * @see https://github.com/stakater/Reloader
 * @see https://github.com/kubernetes-sigs/kustomize/blob/master/api/hasher/hasher.go
 */
function restartedBy({ object, pod }: Workload, secret: string, isLiteral: boolean): string | undefined {
  const annotations = Field.of(object).get('metadata', 'annotations').labels;
  const reloads = Object.entries(annotations).find(
    ([key, value]) =>
      (value === 'true' && /^(?:secret\.)?reloader\.stakater\.com\/auto$/.test(key)) ||
      (key === 'secret.reloader.stakater.com/reload' && listOf(value).includes(secret)),
  );
  if (reloads) {
    return `${reloads[0]} has Reloader start its pods again when it changes, if that runs in the cluster`;
  }
  const checksums = pod.get('metadata', 'annotations').keys.filter((key) => /checksum/i.test(key));
  if (isLiteral && checksums.length > 0) {
    return `its pods start again with each change in the manifests that ${checksums.join(' or ')} is over`;
  }
  return isLiteral && /-[2456789bcdfghkmt]{10}$/.test(secret)
    ? 'its name seems to change with what it holds, and pods with it'
    : undefined;
}

function listOf(text: string): string[] {
  return text.split(',').map((each) => each.trim());
}

function staysAsItWas({ by, container, field, key }: SecretUse): boolean {
  if (by !== 'subPath' && by !== 'env') {
    return false;
  }
  // It ends before the certificate does.
  const isShort = container?.init === true && container.field.get('restartPolicy').text !== 'Always';
  return !isShort && (key ?? field.get('subPath').text) !== 'ca.crt';
}
