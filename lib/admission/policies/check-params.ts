import type { Problems } from '../../problems';
import { dnsLabel, dnsSubdomain, oneOf } from '../../problems';
import { checkLabelSelector } from '../check-labels';
import type { ParamKind, ParamRef, PolicyProps } from './policy-props';

/** A name of RFC 1035, as versions and, in lower case, kinds have. */
const label = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

/** Adds what is wrong with the parameters of a policy. */
export function checkParams(problems: Problems, { paramKind, paramRef }: PolicyProps): void {
  if ((paramKind === undefined) !== (paramRef === undefined)) {
    problems.addAll([
      paramKind
        ? { path: 'paramRef', allowed: 'given beside paramKind: params would be null' }
        : { path: 'paramKind', allowed: 'given beside paramRef, which is ignored without it' },
    ]);
  }
  if (paramKind) {
    checkParamKind(problems, paramKind);
  }
  if (paramRef) {
    checkParamRef(problems, paramRef);
  }
}

function checkParamKind(problems: Problems, { apiVersion, kind }: ParamKind): void {
  const [version = '', group, ...more] = apiVersion.split('/').reverse();
  if (!label.test(version) || (group !== undefined && !dnsSubdomain.accepts(group)) || more.length > 0) {
    problems.add('paramKind.apiVersion', apiVersion, 'VERSION or GROUP/VERSION: "v1", "example.com/v1"');
  }
  if (!label.test(kind.toLowerCase())) {
    problems.add('paramKind.kind', kind, 'a kind such as "ConfigMap"');
  }
}

function checkParamRef(problems: Problems, ref: ParamRef): void {
  const { name, selector, namespace, parameterNotFoundAction } = ref;
  if ((name === undefined) === (selector === undefined)) {
    problems.add('paramRef', ref, 'one with either name or selector');
  }
  if (name !== undefined) {
    problems.check('paramRef.name', name, dnsSubdomain);
  }
  if (selector) {
    checkLabelSelector(problems, 'paramRef.selector', selector);
  }
  if (namespace !== undefined) {
    problems.check('paramRef.namespace', namespace, dnsLabel);
  }
  if (parameterNotFoundAction !== undefined) {
    problems.check('paramRef.parameterNotFoundAction', parameterNotFoundAction, oneOf('Allow', 'Deny'));
  }
}
