import { injectionSources } from '../../../admission';
import { Field } from '../../field';
import type { ObjectIndex } from '../../object-index';
import type { RawFinding } from '../../rule';

/**
 * APIServices whose server is not verified, and what the API server refuses beside that.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/master/staging/src/k8s.io/kube-aggregator/pkg/apis/apiregistration/validation/validation.go
 */
export function* judgeUnverified(objects: ObjectIndex): Iterable<RawFinding> {
  for (const object of objects.ofKind('apiregistration.k8s.io', 'APIService')) {
    const spec = Field.of(object).get('spec');
    const skips = spec.get('insecureSkipTLSVerify');
    const bundle = spec.get('caBundle');
    const hasBundle = bundle.text !== undefined && bundle.text.trim() !== '';
    const refused = { why: 'the API server refuses the object', object, severity: 'error' } as const;
    if (!spec.get('service').exists) {
      for (const field of [...(skips.boolean === true ? [skips] : []), ...(hasBundle ? [bundle] : [])]) {
        yield {
          ...{ ...refused, pointer: field.pointer },
          message: `${field.steps.at(-1)} stands in an APIService without a Service, which the API server serves by itself`,
          fix: 'leave it out, or name the Service',
        };
      }
    } else if (skips.boolean === true && hasBundle) {
      yield {
        ...{ ...refused, pointer: skips.pointer },
        message: 'insecureSkipTLSVerify is true beside a caBundle',
        fix: 'leave insecureSkipTLSVerify out where the bundle verifies the server, and the caBundle where not',
      };
    } else if (skips.boolean === true) {
      const [source] = injectionSources(Field.of(object).get('metadata', 'annotations').labels);
      yield {
        object,
        pointer: skips.pointer,
        severity: 'warning',
        message: `insecureSkipTLSVerify is true${
          source === undefined ? '' : `, and with it no CA can be written that ${source} asks for`
        }`,
        why: 'whoever answers at the address of the Service gets the requests with the names and groups of users, and what it says is taken for true',
        fix: "leave it out, and inject the CA from the authority's Certificate",
      };
    }
  }
}
